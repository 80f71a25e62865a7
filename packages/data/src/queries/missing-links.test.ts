import { createKnowledgeGraph, createRandom } from '@fuzzqe/core';
import { structureNames, type Template } from '@fuzzqe/core/query';
import { describe, expect, it } from 'vitest';
import {
  createLinkCounter,
  knownHalves,
  noDerivation,
  parseStructure,
  queryRow,
  type SampledQueries,
  sampleQueries,
} from '../index.ts';
import {
  bruteForceAnswers,
  holds,
  randomStructureText,
  smallEntityCount,
  smallGraphs,
} from '../testing/small-graphs.ts';

const { known, all, smaller, larger } = smallGraphs('missing links');
const entities = Array.from({ length: smallEntityCount }, (_, entity) => entity);

/** The missing edges of every derivation of `answer`, one list a grounding: the definition, written out. */
function derivations(
  node: Template,
  answer: number,
  anchors: ArrayLike<number>,
  relations: ArrayLike<number>,
): string[][] {
  switch (node.op) {
    case 'entity':
      return anchors[node.anchor] === answer ? [[]] : [];
    case 'project': {
      const relation = relations[node.relation]!;
      return entities
        .filter((head) => holds(all, head, relation, answer))
        .flatMap((head) => {
          const missing = holds(known, head, relation, answer) ? [] : [`${head} ${relation} ${answer}`];
          return derivations(node.from, head, anchors, relations).map((inner) => [...inner, ...missing]);
        });
    }
    case 'not':
      return bruteForceAnswers(all, node.operand, anchors, relations).includes(answer) ? [] : [[]];
    case 'or':
      return node.operands.flatMap((operand) => derivations(operand, answer, anchors, relations));
    case 'and':
      return node.operands
        .map((operand) => derivations(operand, answer, anchors, relations))
        .reduce((left, right) => left.flatMap((one) => right.map((other) => [...one, ...other])));
  }
}

function fewest(queries: SampledQueries<string>): number[] {
  return Array.from({ length: queries.count }, (_, row) => queryRow(queries, row)).flatMap(
    ({ anchors, relations, hard }) =>
      [...hard].map((answer) =>
        Math.min(...derivations(queries.shape.template, answer, anchors, relations).map((all) => all.length)),
      ),
  );
}

/** The half-links of the derivations with the fewest missing links, by the definition. */
function bestHalves(queries: SampledQueries<string>): string[] {
  const isKnown = (fact: (head: number, tail: number) => boolean): boolean =>
    entities.some((head) => entities.some((tail) => fact(head, tail)));
  const halves = (derivation: readonly string[]): string => {
    const links = derivation.map((edge) => edge.split(' ').map(Number) as [number, number, number]);
    const head = links.every(([h, r]) => isKnown((a, b) => a === h && holds(known, h, r, b)));
    const tail = links.every(([, r, t]) => isKnown((a, b) => b === t && holds(known, a, r, t)));
    if (head) return tail ? 'both' : 'head';
    return tail ? 'tail' : 'neither';
  };
  return Array.from({ length: queries.count }, (_, row) => queryRow(queries, row)).flatMap(
    ({ anchors, relations, hard }) =>
      [...hard].map((answer) => {
        const ways = derivations(queries.shape.template, answer, anchors, relations);
        const least = Math.min(...ways.map(({ length }) => length));
        const found = ways.filter(({ length }) => length === least).map(halves);
        return knownHalves.find((half) => found.includes(half))!;
      }),
  );
}

function sample(text: string, count: number): Promise<SampledQueries<string>> {
  const random = createRandom('links', text);
  const structure = parseStructure(text);
  return sampleQueries<string>({ structure, count, smaller, larger, random, maxAnswers: 20, patience: 3000 });
}

describe('the number of missing links', () => {
  const counter = createLinkCounter(smaller, larger);

  it.each(structureNames)('of %s answers is the fewest over all derivations', async (name) => {
    const queries = await sample(name, 25);
    const counts = counter.count(queries);
    expect([...counts]).toEqual(fewest(queries));
    expect(Math.min(...counts)).toBeGreaterThanOrEqual(1);
  });

  it('is that for any structure', async () => {
    const random = createRandom('any');
    for (let i = 0; i < 12; i++) {
      const queries = await sample(randomStructureText(random, 1 + (i % 2)), 5);
      expect([...counter.count(queries)]).toEqual(fewest(queries));
    }
  });

  it('is 0 where an answer is hard by what is excluded from an exclusion', async () => {
    const queries = await sample(
      'and(project(?r1, ?a1), not(and(project(?r2, ?a2), not(project(?r3, ?a3)))))',
      30,
    );
    const counts = counter.count(queries);
    expect([...counts]).toEqual(fewest(queries));
    expect([...counts]).toContain(0);
  });

  it.each(structureNames)('of %s answers have the half-links of a cheapest derivation', async (name) => {
    const queries = await sample(name, 10);
    expect([...counter.halves(queries)].map((place) => knownHalves[place])).toEqual(bestHalves(queries));
  });

  it('have each kind of half-links, and almost none on a graph of one fact', async () => {
    const queries = await sample('2p', 60);
    const places = counter.halves(queries);
    expect(new Set(places)).toEqual(new Set([0, 1, 2, 3]));
    const { entityCount, relationCount } = larger;
    const one = createKnowledgeGraph({ entityCount, relationCount, triples: Int32Array.of(0, 0, 0) });
    const ofOne = createLinkCounter(one, larger).halves(queries);
    expect(ofOne.filter((place) => place === 3).length).toBeGreaterThan(0.8 * places.length);
  });

  it('says which answers the larger graph does not derive', async () => {
    const queries = await sample('2p', 3);
    const foreign = { ...queries, hard: { offsets: Int32Array.of(0, 1, 1, 1), ids: Int32Array.of(-1) } };
    const { anchors, relations } = queryRow(queries, 0);
    const answers = bruteForceAnswers(all, queries.shape.template, anchors, relations);
    foreign.hard.ids[0] = entities.find((entity) => !answers.includes(entity))!;
    expect([...counter.count(foreign)]).toEqual([noDerivation]);
    expect([...counter.halves(foreign)]).toEqual([noDerivation]);
  });
});
