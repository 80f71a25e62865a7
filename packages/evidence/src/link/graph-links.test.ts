import { changedFacts, createRandom, type KnowledgeGraph } from '@fuzzqe/core';
import { beforeAll, describe, expect, it } from 'vitest';
import { createRuleIndex } from '../rules/rule-index.ts';
import { graphOf } from '../testing/graph-of.ts';
import { defaultWeights } from './default-weights.ts';
import { createGraphLinks } from './graph-links.ts';
import { createLinkDegrees } from './link-degrees.ts';

type Fact = readonly [head: number, relation: number, tail: number];

/** Three generations of 40 families: 0 is "has parent", 2 "likes", by chance. Person p of generation g is 40 g + p. */
const people = 120;
const random = createRandom('families');
const facts: Fact[] = [];
for (let person = 0; person < 80; person += 1) facts.push([person, 0, person + 40]);
for (let i = 0; i < 150; i += 1) facts.push([random.below(people), 2, random.below(people)]);
const before = graphOf(facts, { entities: people });

/** The relation that comes later, and its inverse. */
const [later, inverse] = [4, 5];
const grandparents: Fact[] = Array.from({ length: 40 }, (_, i) => [i, later, i + 80]);
const byChance: Fact[] = Array.from({ length: 40 }, (_, i) => [i, later, random.below(people)]);
const of = (triples: readonly Fact[]): Int32Array => Int32Array.from(triples.flat());
const withFacts = (triples: readonly Fact[]): KnowledgeGraph =>
  changedFacts(before, { relationCount: 6, added: of(triples) }).graph;

const noRules = createRuleIndex({ relationCount: 4, rules: [] });
const linksOf = (graph: KnowledgeGraph) =>
  createGraphLinks({ facts: graph, rules: noRules, weights: defaultWeights(4) });
const rowOf = (graph: KnowledgeGraph, head: number, relation: number): Promise<Float32Array> =>
  linksOf(graph).links.rows(Int32Array.of(head), Int32Array.of(relation));
/** The highest degree of an unrecorded tail of all links along a relation. */
async function highest(graph: KnowledgeGraph, relation: number): Promise<number> {
  const heads = Int32Array.from({ length: people }, (_, id) => id);
  const rows = await linksOf(graph).links.rows(
    heads,
    heads.map(() => relation),
  );
  return rows
    .filter((_, at) => !graph.has(Math.floor(at / people), relation, at % people))
    .reduce((a, b) => Math.max(a, b));
}

describe('a relation that came after weights and rules', () => {
  let composed: KnowledgeGraph;
  beforeAll(() => {
    composed = withFacts(grandparents.slice(0, 30));
  });

  it('is answered by a composition of known relations, backwards too, with the rule as the reason', async () => {
    for (const [head, relation, tail] of [
      [35, later, 115],
      [115, inverse, 35],
    ] as const) {
      const row = await rowOf(composed, head, relation);
      expect(row[tail]).toBeGreaterThan(0.5);
      expect(row.reduce((best, each, id) => (each > row[best]! ? id : best), 0)).toBe(tail);
      const [reason] = linksOf(composed).reasonsOf(head, relation, tail).rules;
      expect(reason!.rule).toMatchObject({ path: relation === later ? [0, 0] : [1, 1] });
      // Of 40 grandparents 30 are recorded.
      expect(reason!.rule.hits / reason!.rule.predictions).toBeGreaterThan(0.6);
      expect(reason!.entities).toEqual(relation === later ? [35, 75, 115] : [115, 75, 35]);
    }
  });

  it('has no high degree where nothing composes it, or where its facts are few', async () => {
    for (const relation of [later, inverse]) {
      expect(await highest(withFacts(byChance), relation)).toBeLessThan(0.3);
      for (const count of [0, 1, 2, 3, 6])
        expect(await highest(withFacts(grandparents.slice(0, count)), relation)).toBeLessThan(0.5);
      expect(await highest(composed, relation)).toBeGreaterThan(0.5);
    }
  });

  it('follows from the facts alone, whatever changes led to them, and goes with them', async () => {
    const some = grandparents.slice(0, 30);
    let step = withFacts(byChance);
    step = changedFacts(step, { removed: of(byChance), added: of(some.slice(0, 10)) }).graph;
    for (const fact of some.slice(10)) step = changedFacts(step, { added: of([fact]) }).graph;
    for (const relation of [later, inverse])
      expect(await rowOf(step, 35, relation)).toEqual(await rowOf(composed, 35, relation));
    const none = changedFacts(step, { removed: of(some) }).graph;
    expect(await rowOf(none, 35, later)).toEqual(await rowOf(withFacts([]), 35, later));
    expect(linksOf(none).reasonsOf(35, later, 115).rules).toEqual([]);
  });

  it('is learned anew from its facts, whenever it is asked, and follows other facts at once', async () => {
    // Person 36 gets another parent, whose parent is 90.
    const bodies = changedFacts(composed, {
      added: of([
        [36, 0, 41],
        [41, 0, 90],
      ]),
    }).graph;
    const grown = changedFacts(bodies, { added: of(grandparents.slice(30, 33)) }).graph;
    const after = async (asked: boolean) => {
      let { learned } = linksOf(composed);
      const rows: Float32Array[] = [];
      for (const graph of [composed, bodies, grown]) {
        const made = createGraphLinks({ facts: graph, rules: noRules, weights: defaultWeights(4), learned });
        ({ learned } = made);
        if (asked || graph === grown)
          rows.push(await made.links.rows(Int32Array.of(36), Int32Array.of(later)));
      }
      return { rows, learned };
    };
    const { rows, learned } = await after(true);
    expect(rows[1]![90]).toBeGreaterThan(10 * rows[0]![90]!);
    expect(rows[2]).toEqual((await after(false)).rows[0]);
    expect(rows[2]).toEqual(await rowOf(grown, 36, later));
    expect(learned.following(grown)).toBe(learned);
    expect(learned.following(bodies)).not.toBe(learned);
  });

  it('leaves the links of other relations as they are, in one batch with them', async () => {
    const known = createLinkDegrees({ facts: composed, rules: noRules, weights: defaultWeights(4) });
    const { links } = linksOf(composed);
    const rows = await links.rows(Int32Array.of(3, 35, 4, 35), Int32Array.of(0, later, 3, later));
    const row = (at: number): Float32Array => rows.subarray(at * people, (at + 1) * people);
    expect(row(0)).toEqual(await known.rows(Int32Array.of(3), Int32Array.of(0)));
    expect(row(2)).toEqual(await known.rows(Int32Array.of(4), Int32Array.of(3)));
    expect(row(1)).toEqual(row(3));
    expect(row(1)).toEqual(await rowOf(composed, 35, later));
  });

  it('keeps the degree of an unsure fact', async () => {
    const unsure = changedFacts(composed, { added: of([[36, later, 116]]), confidences: [0.7] }).graph;
    expect((await rowOf(unsure, 36, later))[116]).toBeCloseTo(0.7);
  });
});
