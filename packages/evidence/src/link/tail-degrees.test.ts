import { createRandom, type KnowledgeGraph } from '@fuzzqe/core';
import { someGraph } from '@fuzzqe/core/testing';
import { describe, expect, it } from 'vitest';
import { createRuleIndex } from '../rules/rule-index.ts';
import { someRules, someScores, someWeights } from '../testing/some-links.ts';
import { defaultWeights } from './default-weights.ts';
import { createLinkDegrees, type LinkScores, type LinkState } from './link-degrees.ts';
import { createTailDegrees } from './tail-degrees.ts';

const random = createRandom('degrees of likely tails');
const none = new Int32Array();

/** The likely tails of links along a relation, whose scores are picked from whole rows. */
function tailsOf(state: LinkState) {
  const { entityCount } = state.facts;
  return createTailDegrees({
    ...state,
    async scores(heads, relations, ids) {
      const rows = await state.scores!(heads, relations);
      return Float32Array.from(
        { length: heads.length * ids.length },
        (_, i) => rows[Math.floor(i / ids.length) * entityCount + ids[i % ids.length]!]!,
      );
    },
  });
}

/** How far the degrees of listed tails are from those of whole rows at most, and how many are listed. */
async function compare(
  state: LinkState,
  heads: Int32Array,
  relation: number,
  count: number,
): Promise<{ readonly worst: number; readonly ids: Int32Array; readonly background: Float32Array }> {
  const { entityCount } = state.facts;
  const rows = await createLinkDegrees(state).rows(heads, new Int32Array(heads.length).fill(relation));
  const { ids, degrees, background } = await tailsOf(state).tails(heads, relation, { count, also: none });
  let worst = 0;
  heads.forEach((_, i) => {
    ids.forEach((id, e) => {
      worst = Math.max(worst, Math.abs(rows[i * entityCount + id]! - degrees[i * ids.length + e]!));
    });
  });
  return { worst, ids, background };
}

const firstHeads = ({ entityCount }: KnowledgeGraph, count: number): Int32Array =>
  Int32Array.from({ length: count }, (_, i) => (7 * i) % entityCount);

describe('the degrees of likely tails', () => {
  const facts = someGraph(random, 30, 6, 150);
  const rules = createRuleIndex({ relationCount: 6, rules: someRules(random, facts, 120) });
  const weights = someWeights(random, 6, { temperature: 2, typeRelations: [4] });
  const { scores } = someScores(random, facts);

  it.each([0, 0.4])(
    'are those of whole rows where all tails are judged, %s of the hidden facts recorded',
    async (recordedShare) => {
      const state: LinkState = { facts, rules, weights, scores, recordedShare };
      for (let relation = 0; relation < 6; relation += 1) {
        const { worst, ids } = await compare(state, firstHeads(facts, 30), relation, 30);
        expect(ids).toHaveLength(30);
        expect(worst).toBeLessThan(1e-6);
      }
    },
  );

  it('name what is recorded, named or asked for, each once', async () => {
    const also = Int32Array.of(29, 28, 27);
    const heads = firstHeads(facts, 12);
    const { ids } = await tailsOf({ facts, rules, weights, scores }).tails(heads, 1, { count: 2, also });
    expect(new Set(ids).size).toBe(ids.length);
    const wanted = [...also, ...heads, ...Array.from(heads, (head) => [...facts.tails(head, 1)]).flat()];
    expect(wanted.filter((id) => !ids.includes(id))).toEqual([]);
  });
});

describe('the degrees of likely tails of a large graph', () => {
  const facts = someGraph(random, 4000, 2, 9000);
  const rules = createRuleIndex({ relationCount: 2, rules: [] });
  const weights = defaultWeights(2, { temperature: 3 });
  const noise = new Map<number, Float32Array>();
  const scores: LinkScores = async (heads) => {
    const rows = new Float32Array(heads.length * 4000);
    heads.forEach((head, i) => {
      const row = noise.get(head) ?? Float32Array.from({ length: 4000 }, () => random.normal() / 4);
      noise.set(head, row);
      rows.set(row, 4000 * i);
    });
    return rows;
  };

  it('are close, by a sample of the tails that are not judged', async () => {
    const state: LinkState = { facts, rules, weights, scores };
    const heads = firstHeads(facts, 8);
    const { worst, ids, background } = await compare(state, heads, 0, 400);
    expect(ids.length).toBeLessThan(2000);
    for (const degree of background) expect(degree).toBeLessThan(0.05);
    // If the entities that are not judged have other scores, and nothing else differs, rows are further apart.
    const judged = new Set(ids);
    const lifted = async (...of: Parameters<LinkScores>): Promise<Float32Array> =>
      (await scores(...of)).map((score, i) => (judged.has(i % 4000) ? score : score + 1));
    const others = await createLinkDegrees({ ...state, scores: lifted }).rows(heads, new Int32Array(8));
    const rows = await createLinkDegrees(state).rows(heads, new Int32Array(8));
    const apart = rows.map((degree, i) => (judged.has(i % 4000) ? Math.abs(degree - others[i]!) : 0));
    expect(Math.max(...apart)).toBeGreaterThan(0.003);
    expect(worst).toBeLessThan(Math.max(...apart) / 5);
  });
});
