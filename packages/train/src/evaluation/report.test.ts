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
      { name: 'without negation', structures: ['2u'], kind: 9, values: [0] },
      { name: 'union', structures: ['2u'], kind: 2, values: [0] },
    ]);
  });

  it('takes the mean over the structures that were evaluated, in all columns the same', () => {
    const nine = column('nine', (structure) =>
      structure.includes('n') || structure === '3i' ? undefined : 2,
    );
    const same = column('same', (structure) =>
      structure.includes('n') || structure === '3i' ? undefined : 4,
    );
    const report = createReport([nine, same]);
    expect(report.averages[0]).toMatchObject({ name: 'without negation', kind: 9, values: [0.5, 0.25] });
    expect(report.averages[0]!.structures).toHaveLength(8);
    expect(report.averages[0]!.structures).not.toContain('3i');
    expect(report.averages.map(({ name }) => name)).not.toContain('with negation');
    // Beside one that has all nine, the mean of eight would look better or worse for no reason.
    expect(createReport([nine, model]).averages[0]!.values).toEqual([null, 0.5]);
  });

  it('takes a printed mean only where all its structures are there', () => {
    const printed = { name: 'paper', metrics: { ...model.metrics, printed: { union: { mrr: 0.9 } } } };
    expect(createReport([printed]).averages.find(({ name }) => name === 'union')!.values).toEqual([0.9]);
    const part = {
      ...printed,
      metrics: { structures: { '2u': { mrr: 0.3 } }, printed: { union: { mrr: 0.9 } } },
    };
    expect(createReport([part]).averages.at(-1)).toMatchObject({ name: 'union', values: [0.3] });
  });
});
