import { createKnowledgeGraph } from '@fuzzqe/core';
import { createQueriesBuilder } from '@fuzzqe/data';
import { expect, it } from 'vitest';
import { evaluateRanking } from './evaluate-ranking.ts';
import { createLinkMetrics } from './link-metrics.ts';

const known = createKnowledgeGraph({
  ...{ entityCount: 5, relationCount: 4 },
  triples: Int32Array.of(0, 0, 1, 2, 0, 3, 0, 2, 4),
});

it('tells links by their relation, the worst first, and by the halves that the known facts have', () => {
  const metrics = createLinkMetrics(known);
  // 0 has a tail of relation 0; 1 and 3 are tails of it, 4 is none.
  metrics.add({ head: 0, relation: 0, tails: [3, 4], ranks: Float64Array.of(1, 4) });
  metrics.add({ head: 1, relation: 0, tails: [3], ranks: Float64Array.of(2) });
  metrics.add({ head: 1, relation: 2, tails: [2], ranks: Float64Array.of(10) });
  // Its inverse: 1 is a head of it, and 4 no tail.
  metrics.add({ head: 1, relation: 1, tails: [4], ranks: Float64Array.of(1) });
  const { relations, halves } = metrics.report();
  expect(relations.map(({ relation, queries, answers, mrr }) => [relation, queries, answers, mrr])).toEqual([
    [2, 1, 1, 0.1],
    [0, 2, 3, (0.625 + 0.5) / 2],
    [1, 1, 1, 1],
  ]);
  expect(halves.map(({ known: half, share, mrr }) => [half, share, mrr])).toEqual([
    ['both', 0.2, 1],
    ['head', 0.4, (0.25 + 1) / 2],
    ['tail', 0.2, 0.5],
    ['neither', 0.2, 0.1],
  ]);
});

it('takes the ranks of an evaluation, query by query', async () => {
  const builder = createQueriesBuilder('1p');
  builder.add({ anchors: [0], relations: [0], easy: [1], hard: [3, 4] });
  builder.add({ anchors: [2], relations: [0], easy: [3], hard: [2] });
  const metrics = createLinkMetrics(known);
  const { structures } = await evaluateRanking({
    queries: [builder.build()],
    entityCount: 5,
    // Entity 0 first, then 1, 2, 3 and 4.
    score: async (_, __, ___, rows) => Float32Array.from({ length: 5 * rows }, (_, i) => -(i % 5)),
    batchSize: 1,
    onRanked: ({ anchors, relations, hard, ranks }) =>
      metrics.add({ head: anchors[0]!, relation: relations[0]!, tails: hard, ranks }),
  });
  const [of] = metrics.report().relations;
  expect(of).toMatchObject({ relation: 0, queries: 2, answers: 3 });
  expect(of!.mrr).toBeCloseTo(structures['1p']!.mrr, 12);
  expect(of!.mrr).toBeCloseTo(((1 / 3 + 1 / 3) / 2 + 1 / 3) / 2, 12);
});
