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
