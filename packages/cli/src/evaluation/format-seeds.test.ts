import { createMetrics } from '@fuzzqe/core/ranking';
import type { ReportColumn } from '@fuzzqe/train';
import { describe, expect, it } from 'vitest';
import { formatSeeds, meanColumn, spreadOfSeeds } from './format-seeds.ts';

/** A model with one ranked answer in each structure. */
function model(name: string, ranks: Readonly<Record<string, number>>): ReportColumn {
  const metrics = createMetrics();
  for (const [structure, rank] of Object.entries(ranks)) metrics.add(structure, [rank]);
  return { name, metrics: metrics.report() };
}

describe('several seeds of one run', () => {
  // Reciprocal ranks 1/2 and 1/4, 1/5 and 1/10, 1 and 1/2.
  const models = [
    model('seed 1', { '1p': 2, '2in': 5, far: 1 }),
    model('seed 2', { '1p': 4, '2in': 10, far: 2 }),
  ];

  it('have the mean of their figures, of own structures, too', () => {
    const { name, metrics } = meanColumn('FuzzQE', models);
    expect(name).toBe('FuzzQE');
    expect(metrics.structures).toEqual({
      '1p': { mrr: 0.375, hits1: 0, hits3: 0.5, hits10: 1, answers: 1 },
      '2in': { mrr: expect.closeTo(0.15, 12), hits1: 0, hits3: 0, hits10: 1, answers: 1 },
    });
    expect(metrics.own).toEqual({ far: { mrr: 0.75, hits1: 0.5, hits3: 1, hits10: 1, answers: 1 } });
  });

  it('leave out what one of them lacks', () => {
    const { metrics } = meanColumn('FuzzQE', [...models, model('seed 3', { '1p': 1 })]);
    expect(Object.keys({ ...metrics.structures, ...metrics.own })).toEqual(['1p']);
  });

  it('have a sample standard deviation', () => {
    expect(spreadOfSeeds(models)['1p']).toEqual({
      mean: 0.375,
      deviation: expect.closeTo(Math.SQRT1_2 / 4, 12),
    });
    expect(spreadOfSeeds(models.slice(0, 1))['1p']).toEqual({ mean: 0.5, deviation: null });
  });

  it('stand side by side', () => {
    const lines = formatSeeds(models, 'text').split('\n');
    expect(lines[0]).toBe('Seed by seed');
    expect(lines[2]).toMatch(/^% +seed 1 +seed 2 +mean +deviation$/);
    expect(lines.find((line) => line.startsWith('1p'))).toMatch(/^1p +50\.0 +25\.0 +37\.5 +17\.7$/);
    expect(formatSeeds(models, 'markdown')).toContain('| 2in | 20.0 | 10.0 | 15.0 | 7.1 |');
  });
});
