import { changedFacts, createKnowledgeGraph, createRandom, type KnowledgeGraph } from '@fuzzqe/core';
import { someGraph } from '@fuzzqe/core/testing';
import { describe, expect, it } from 'vitest';
import { createRuleIndex } from '../rules/rule-index.ts';
import { createPlainLinks } from '../testing/plain-links.ts';
import { someRules, someScores, someWeights } from '../testing/some-links.ts';
import { defaultWeights } from './default-weights.ts';
import { featureCount, featureNames } from './features.ts';
import { createLinkDegrees, type LinkState } from './link-degrees.ts';

const random = createRandom('degrees of links');
const [entityCount, relationCount] = [30, 6];
const highest = Math.fround(0.999);

/** Every link of a graph in one call. Shapes: → [|E| · |R|, |E|], heads before relations. */
async function allRows(state: LinkState): Promise<{ at(h: number, r: number, e: number): number }> {
  const { entityCount: n, relationCount: m } = state.facts;
  const links = Array.from({ length: n * m }, (_, i) => i);
  const rows = await createLinkDegrees(state).rows(
    Int32Array.from(links, (i) => Math.floor(i / m)),
    Int32Array.from(links, (i) => i % m),
  );
  return { at: (h, r, e) => rows[(h * m + r) * n + e]! };
}

function forEachLink(
  { entityCount: n, relationCount: m }: KnowledgeGraph,
  visit: (...of: [number, number, number]) => void,
): void {
  for (let h = 0; h < n; h += 1) for (let r = 0; r < m; r += 1) for (let e = 0; e < n; e += 1) visit(h, r, e);
}

/** Facts of which those of relation 0 have self loops now and then, and those of relation 2 none. */
const withLoops = someGraph(random, entityCount, relationCount, 150).union(
  createKnowledgeGraph({ entityCount, relationCount, triples: Int32Array.of(3, 0, 3, 8, 0, 8) }),
);
const facts = createKnowledgeGraph({
  entityCount,
  relationCount,
  triples: Int32Array.from(
    Array.from({ length: withLoops.forwardTriples().length / 3 }, (_, i) => [
      ...withLoops.forwardTriples().subarray(3 * i, 3 * i + 3),
    ])
      .filter(([h, r, t]) => r !== 2 || h !== t)
      .flat(),
  ),
});

describe.each([
  { of: 'with a model', temperature: 2 },
  { of: 'without a model', temperature: null },
])('the degrees of links $of', ({ temperature }) => {
  const rules = someRules(random, facts, 120);
  const weights = someWeights(random, relationCount, { temperature, typeRelations: [4] });
  const model = temperature === null ? undefined : someScores(random, facts);
  const state = { facts, rules: createRuleIndex({ relationCount, rules }), weights, scores: model?.scores };
  const plain = createPlainLinks({ facts, rules, weights, score: model?.score });

  it('are those of the table, feature by feature', async () => {
    const rows = await allRows(state);
    let worst = 0;
    const used = { neighbours: 0, rules: 0, closed: 0 };
    forEachLink(facts, (h, r, e) => {
      worst = Math.max(worst, Math.abs(rows.at(h, r, e) - plain.degree(h, r, e)));
      const { neighbours, hasRule } = plain.features(h, r, e);
      used.neighbours += neighbours > 0 ? 1 : 0;
      used.rules += hasRule;
      if (!facts.has(h, r, e) && plain.isClosed(h, r, e)) used.closed += 1;
    });
    expect(worst).toBeLessThan(2e-6);
    for (const count of Object.values(used)) expect(count).toBeGreaterThan(50);
  });

  it('are others where any one weight is another', async () => {
    const rows = await allRows(state);
    for (const [feature, name] of featureNames.entries()) {
      const others = weights.relations.map(
        (weight, at) => weight + (at % featureCount === feature ? 0.1 : 0),
      );
      const moved = await allRows({ ...state, weights: { ...weights, relations: others } });
      let apart = 0;
      forEachLink(facts, (h, r, e) => {
        apart = Math.max(apart, Math.abs(rows.at(h, r, e) - moved.at(h, r, e)));
      });
      // A model that is not there has no share.
      if (name === 'share' && temperature === null) expect(apart).toBe(0);
      else expect(apart, name).toBeGreaterThan(1e-3);
    }
  });

  it('are lower by the share of the hidden facts that is recorded since', async () => {
    const rows = await allRows({ ...state, recordedShare: 0.5 });
    let worst = 0;
    let lower = 0;
    const whole = await allRows(state);
    forEachLink(facts, (h, r, e) => {
      worst = Math.max(worst, Math.abs(rows.at(h, r, e) - plain.degree(h, r, e, 0.5)));
      if (rows.at(h, r, e) < whole.at(h, r, e) - 1e-3) lower += 1;
    });
    expect(worst).toBeLessThan(2e-6);
    expect(lower).toBeGreaterThan(1000);
  });

  it('are 1 for recorded tails, 0 for a head without self loops, and in (0, 0.999] elsewhere', async () => {
    const rows = await allRows(state);
    forEachLink(facts, (h, r, e) => {
      const degree = rows.at(h, r, e);
      if (facts.has(h, r, e)) expect(degree).toBe(1);
      else if (h === e && r >= 2 && r < 4) expect(degree).toBe(0);
      else if (plain.isClosed(h, r, e)) expect(degree).toBe(0);
      else expect(degree > 0 && degree <= highest).toBe(true);
    });
    // Relation 0 has self loops: an entity may be its own tail.
    expect(rows.at(1, 0, 1)).toBeGreaterThan(0);
    expect(rows.at(1, 2, 1)).toBe(0);
  });

  it('are 0 for a rejected link in both directions, also where an axiom entails it, and what they were elsewhere', async () => {
    const rows = await allRows(state);
    const [h, r, e] = [1, 4, 2];
    expect(rows.at(h, r, e)).toBeGreaterThan(0);
    const { graph: judged } = changedFacts(facts, { rejected: Int32Array.of(h, r, e) });
    const entailed = createKnowledgeGraph({ entityCount, relationCount, triples: Int32Array.of(h, r, e) });
    const after = await allRows({ ...state, facts: judged, entailed });
    expect([after.at(h, r, e), after.at(e, r ^ 1, h)]).toEqual([0, 0]);
    expect((await allRows({ ...state, entailed })).at(h, r, e)).toBe(highest);
    let others = 0;
    forEachLink(facts, (...link) => {
      if (after.at(...link) !== rows.at(...link)) others += 1;
    });
    expect(others).toBe(2);
    expect(facts.has(h, r, e)).toBe(false);
  });

  it('are the same alone, together and twice', async () => {
    const rows = await allRows(state);
    const links = createLinkDegrees(state);
    for (const _ of [1, 2])
      for (const [h, r] of [
        [3, 0],
        [7, 5],
        [3, 0],
      ] as const) {
        const row = await links.rows(Int32Array.of(h), Int32Array.of(r));
        expect([...row]).toEqual([...row].map((_, e) => rows.at(h, r, e)));
      }
  });
});

describe('degrees of links', () => {
  it('are numbers in [0, 1] whatever weights and scores are', async () => {
    const rules = createRuleIndex({ relationCount, rules: someRules(random, facts, 60) });
    for (const size of [1e6, -1e6, 1e-9]) {
      const weights = someWeights(random, relationCount, { temperature: 45, typeRelations: [] });
      const large = { ...weights, relations: weights.relations.map((weight) => size * weight) };
      const model = someScores(random, facts, 1e6);
      const rows = await allRows({ facts, rules, weights: large, scores: model.scores });
      forEachLink(facts, (h, r, e) => {
        const degree = rows.at(h, r, e);
        if (facts.has(h, r, e)) expect(degree).toBe(1);
        else expect(degree >= 0 && degree <= highest).toBe(true);
      });
    }
  });

  it('are there for a graph of one fact', async () => {
    const few = createKnowledgeGraph({ entityCount: 3, relationCount: 2, triples: Int32Array.of(0, 0, 1) });
    const rules = createRuleIndex({ relationCount: 2, rules: [] });
    for (const temperature of [null, 5]) {
      const weights = defaultWeights(2, { temperature });
      const { scores } = someScores(random, few);
      const rows = await allRows({ facts: few, rules, weights, scores });
      forEachLink(few, (h, r, e) => {
        if (few.has(h, r, e)) expect(rows.at(h, r, e)).toBe(1);
        else if (h === e) expect(rows.at(h, r, e)).toBe(0);
        else expect(rows.at(h, r, e) > 0 && rows.at(h, r, e) < 0.999).toBe(true);
      });
    }
  });

  it('are there where every entity is a recorded tail', async () => {
    const full = createKnowledgeGraph({
      entityCount: 3,
      relationCount: 2,
      triples: Int32Array.from([0, 1, 2].flatMap((e) => [1, 0, e])),
    });
    const { scores } = someScores(random, full);
    const weights = defaultWeights(2, { temperature: 5 });
    const rules = createRuleIndex({ relationCount: 2, rules: [] });
    const links = createLinkDegrees({ facts: full, rules, weights, scores });
    expect([...(await links.rows(Int32Array.of(1), Int32Array.of(0)))]).toEqual([1, 1, 1]);
  });

  it('refuse weights of fewer relations', async () => {
    const rules = createRuleIndex({ relationCount, rules: [] });
    const links = createLinkDegrees({ facts, rules, weights: defaultWeights(2) });
    await expect(links.rows(Int32Array.of(0), Int32Array.of(4))).rejects.toThrow(
      'weights: expected those of 5 relations or more, got 2',
    );
  });
});
