import { changedFacts, createRandom } from '@fuzzqe/core';
import { someGraph } from '@fuzzqe/core/testing';
import { describe, expect, it } from 'vitest';
import { createRuleIndex } from '../rules/rule-index.ts';
import { rangeOf } from '../schema/ranges.ts';
import { rangesAt } from '../schema/ranges-at.ts';
import { someRules, someScores, someWeights } from '../testing/some-links.ts';
import { createLinkDegrees } from './link-degrees.ts';
import { createTailJudge, frequentTails } from './tail-judge.ts';

const random = createRandom('degrees of tails');
const [entityCount, relationCount] = [40, 6];
const opened = someGraph(random, entityCount, relationCount, 220);
const [head, relation, tail] = opened.forwardTriples();
/** One fact less, two more and a rejected link, after the index was made. */
const { graph: changed } = changedFacts(opened, {
  removed: Int32Array.of(head!, relation!, tail!),
  added: Int32Array.of(1, 0, 2, 3, 4, 1),
});
const all = Int32Array.from({ length: entityCount }, (_, id) => id);

describe.each([
  { of: 'with a model', temperature: 2, facts: opened },
  { of: 'without a model', temperature: null, facts: opened },
  { of: 'of changed facts', temperature: 2, facts: changed },
])('the degrees of tails $of', ({ temperature, facts }) => {
  const rules = createRuleIndex({ relationCount, rules: someRules(random, opened, 120) });
  const weights = someWeights(random, relationCount, { temperature, typeRelations: [4] });
  const { scores } = someScores(random, facts);
  const entailed = someGraph(random, entityCount, relationCount, 10);
  const state = { facts, rules, weights, entailed };
  const rows = createLinkDegrees({ ...state, ...(temperature === null ? {} : { scores }) });
  const judge = createTailJudge(state);

  /** The largest difference of some tails from the whole row, over all links, where each tail stands for so many entities. */
  async function farthest(counts: Float64Array): Promise<number> {
    let most = 0;
    const ids = all.filter((id) => id % 3 !== 1);
    for (let h = 0; h < entityCount; h += 1)
      for (let r = 0; r < relationCount; r += 1) {
        const row = await rows.rows(Int32Array.of(h), Int32Array.of(r));
        const own = await scores(Int32Array.of(h), Int32Array.of(r));
        const normaliser = judge.normaliser(h, judge.terms(r, all), own, counts);
        const at = Float32Array.from(ids, (id) => own[id]!);
        judge.degrees(h, judge.terms(r, ids), at, normaliser).forEach((degree, i) => {
          most = Math.max(most, Math.abs(degree - row[ids[i]!]!));
        });
      }
    return most;
  }

  it('are those of the whole row if every tail stands for itself', async () => {
    expect(await farthest(new Float64Array(entityCount).fill(1))).toBeLessThan(1e-5);
  });

  it('are others if the sum of the other tails is wrong', async () => {
    const most = await farthest(new Float64Array(entityCount).fill(3));
    if (temperature === null) expect(most).toBeLessThan(1e-5);
    else expect(most).toBeGreaterThan(1e-3);
  });

  it('have the ranges of the table of all entities', () => {
    for (let r = 0; r < relationCount; r += 1)
      expect(rangesAt(facts, r, all, weights)).toEqual(rangeOf(facts, r, weights));
  });
});

describe('frequent tails', () => {
  it('come by their facts, then by their ids', () => {
    const tails = frequentTails(opened, 2, 5);
    const facts = Array.from(tails, (id) => opened.tails(id, 3).length);
    expect(facts).toEqual(facts.toSorted((a, b) => b - a));
    const least = facts.at(-1)!;
    const others = opened.headsOf(3).filter((id) => !tails.includes(id));
    expect(Math.max(...Array.from(others, (id) => opened.tails(id, 3).length))).toBeLessThanOrEqual(least);
  });
});
