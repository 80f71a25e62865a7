import { structureNames } from '@fuzzqe/core/query';
import { createMetrics } from '@fuzzqe/core/ranking';
import { describe, expect, it } from 'vitest';
import { createReport } from './report.ts';

/** Every structure with one query of one answer, at the given rank. */
function column(name: string, rank: (structure: string) => number | undefined) {
  const metrics = createMetrics();
  for (const structure of structureNames) {
    const at = rank(structure);
    if (at !== undefined) metrics.add(structure, [at]);
  }
  return { name, metrics: metrics.report() };
}

const model = column('model', (structure) => (structure.includes('n') ? 4 : 2));
const baseline = column('base|line', (structure) => (structure === '1p' ? 1 : 10));

describe('the report', () => {
  const report = createReport([model, baseline]);

  it('has the structures in the order of the field, then the averages', () => {
    expect(report.structures.map(({ name }) => name)).toEqual([...structureNames]);
    expect(Object.fromEntries(report.averages.map(({ name, values }) => [name, values[0]]))).toEqual({
      'without negation': 0.5,
      'with negation': 0.25,
      projection: 0.5,
      intersection: 0.5,
      union: 0.5,
    });
    expect(report.averages[0]!.values[1]).toBeCloseTo((1 + 8 * 0.1) / 9, 12);
    expect(report.averages[2]!.values[1]).toBeCloseTo((1 + 2 * 0.1) / 3, 12);
  });

  it('agrees with the averages of the metrics', () => {
    expect(report.averages[0]!.values[0]).toBeCloseTo(model.metrics.withoutNegation!.mrr, 12);
    expect(report.averages[1]!.values[0]).toBeCloseTo(model.metrics.withNegation!.mrr, 12);
  });

  it('leaves a place empty where nothing was measured', () => {
    const part = createReport([column('part', (structure) => (structure === '2p' ? 2 : undefined)), model]);
    expect(part.structures).toHaveLength(14);
    expect(part.structures[0]!.values).toEqual([null, 0.5]);
    expect(part.averages[0]!.values[0]).toBeNull();
  });

  it('has only what was measured', () => {
    const one = createReport([column('one', (structure) => (structure === '2u' ? 4 : undefined))], 'hits3');
    expect(one.structures).toEqual([{ name: '2u', values: [0] }]);
    expect(one.averages).toEqual([
      { name: 'without negation', values: [null] },
      { name: 'union', values: [null] },
    ]);
  });
});
