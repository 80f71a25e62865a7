import { expect, it } from 'vitest';
import { createKnowledgeGraph } from '../kg/knowledge-graph.ts';
import { headsOfRelations, measurePartitions } from './partitions.ts';

it('log-partitions are means over heads that leave something unrecorded', async () => {
  const full = createKnowledgeGraph({
    entityCount: 3,
    relationCount: 2,
    triples: Int32Array.of(0, 0, 0, 0, 0, 1, 0, 0, 2, 1, 0, 2),
  });
  const asked: number[][] = [];
  const partitions = await measurePartitions(full, async (ids, relation) => {
    asked.push([relation, ...ids]);
    return Array.from(ids, (id) => id + relation);
  });
  expect(asked).toEqual([
    [0, 1],
    [1, 0, 1, 2],
  ]);
  expect(Array.from(partitions)).toEqual([1, 2]);
  expect(headsOfRelations(full).map((heads) => Array.from(heads))).toEqual([[1], [0, 1, 2]]);
});

it.each([
  ['one more than are drawn', 17, 2000],
  ['three times as many', 50, 500],
])(
  'heads of a relation are as likely as each other to be drawn where there are %s',
  (_, heads, relations) => {
    // Entity 0 is the tail of them all, so that every relation has the same heads and a draw of its own.
    const triples = Int32Array.from(
      Array.from({ length: relations * heads }, (_, i) => [
        1 + (i % heads),
        2 * Math.floor(i / heads),
        0,
      ]).flat(),
    );
    const graph = createKnowledgeGraph({ entityCount: heads + 1, relationCount: 2 * relations, triples });
    const drawn = headsOfRelations(graph).filter((_, relation) => relation % 2 === 0);
    const times = new Int32Array(heads + 1);
    for (const ids of drawn) {
      expect(new Set(ids).size).toBe(16);
      for (const id of ids) times[id]! += 1;
    }
    const share = 16 / heads;
    const deviation = Math.sqrt(relations * share * (1 - share));
    for (const count of times.subarray(1))
      expect(Math.abs(count - relations * share)).toBeLessThan(4 * deviation);
  },
);
