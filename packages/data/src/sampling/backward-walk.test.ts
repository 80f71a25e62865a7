import { createKnowledgeGraph, createRandom, type KnowledgeGraph } from '@fuzzqe/core';
import { describe, expect, it } from 'vitest';
import { queryRow, sampleQueries, structureOf } from '../index.ts';
import { type BackwardWalk, createBackwardWalk } from './backward-walk.ts';
import { canonicalRelations } from './rules.ts';

const graphOf = (...facts: (readonly [head: number, relation: number, tail: number])[]): KnowledgeGraph =>
  createKnowledgeGraph({ entityCount: 6, relationCount: 8, triples: Int32Array.from(facts.flat()) });

/** A walk by 2p, over relations that count as their own inverses where they mirror themselves if so asked. */
function walkOn(graph: KnowledgeGraph, skipMirrored = false): BackwardWalk {
  const canonical = canonicalRelations(graph, { skipMirrored });
  return createBackwardWalk(graph, structureOf('2p'), canonical, createRandom('walk'));
}

describe('a walk backwards', () => {
  it('takes every relation but the one that would undo its step as often as the others', () => {
    // Only relation 2 leads to entity 0, from entity 1, to which three others lead back: 1, 5 and 7.
    const walk = walkOn(graphOf([1, 0, 2], [1, 2, 0], [1, 4, 3], [1, 6, 4]));
    const times = new Map<number, number>();
    for (let i = 0; i < 900; i += 1) {
      expect(walk.from(0)).toBe(true);
      const [first, second] = walk.relations;
      expect(second).toBe(2);
      times.set(first!, (times.get(first!) ?? 0) + 1);
    }
    expect([...times.keys()].sort()).toEqual([1, 5, 7]);
    for (const count of times.values()) expect(Math.abs(count - 300)).toBeLessThan(50);
  });

  it('ends where nothing but its own step leads on', () => {
    const walk = walkOn(graphOf([1, 0, 2]));
    for (let i = 0; i < 20; i += 1) expect(walk.from(2)).toBe(false);
  });

  it('goes on over a relation that mirrors itself, but not back', async () => {
    // Entities 0, 1 and 2 in a row of neighbours, each the neighbour of the other.
    const row = graphOf([0, 6, 1], [1, 6, 0], [1, 6, 2], [2, 6, 1]);
    const found = async (skipMirrored: boolean) => {
      const queries = await sampleQueries({
        ...{ structure: '2p', count: 100, smaller: null, larger: row, patience: 500 },
        ...{ random: createRandom('row'), rules: { skipMirrored } },
      });
      const anchors = Array.from({ length: queries.count }, (_, i) => queryRow(queries, i).anchors[0]!);
      return anchors.sort((a, b) => a - b);
    };
    // From 1 one comes over two borders to 1 alone, and two directions are one. Else 6, 6 and 7, 7 are two queries.
    expect(await found(true)).toEqual([0, 2]);
    expect(await found(false)).toEqual([0, 0, 1, 1, 2, 2]);
  });
});
