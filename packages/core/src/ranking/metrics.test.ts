import { describe, expect, it } from 'vitest';
import { structureNames } from '../query/structures.ts';
import { createMetrics } from './metrics.ts';

describe('createMetrics', () => {
  it('averages over the answers of a query first, then over queries', () => {
    const metrics = createMetrics();
    metrics.add('1p', [1, 2, 4, 4]);
    metrics.add('1p', [10]);
    const { structures } = metrics.report();
    // Over all five answers at once it would be (1 + 1/2 + 1/4 + 1/4 + 1/10) / 5 = 0.42.
    expect(structures['1p']?.mrr).toBeCloseTo((0.5 + 0.1) / 2, 12);
    expect(structures['1p']).toMatchObject({ queries: 2, answers: 5, hits1: 0.125, hits3: 0.25, hits10: 1 });
  });

  it('averages over structures whatever their number of queries, apart by negation', () => {
    const metrics = createMetrics();
    metrics.add('1p', [1]);
    metrics.add('1p', [1]);
    metrics.add('2u', [2]);
    metrics.add('pni', [4]);
    const report = metrics.report();
    expect(report.withoutNegation).toMatchObject({ structures: ['1p', '2u'], mrr: 0.75, hits1: 0.5 });
    expect(report.withNegation).toMatchObject({ structures: ['pni'], mrr: 0.25, hits3: 0, hits10: 1 });
  });

  it('knows nine structures without negation and five with', () => {
    const metrics = createMetrics();
    for (const name of structureNames) metrics.add(name, [1]);
    const report = metrics.report();
    expect(report.withoutNegation?.structures.length).toBe(9);
    expect(report.withNegation?.structures).toEqual(['2in', '3in', 'inp', 'pin', 'pni']);
  });

  it('leaves out what had no query', () => {
    expect(createMetrics().report()).toEqual({ structures: {} });
  });

  it('does not count a tied first place as a hit at 1', () => {
    const metrics = createMetrics();
    metrics.add('1p', [1.5]);
    expect(metrics.report().structures['1p']).toMatchObject({ hits1: 0, hits3: 1 });
  });

  it('refuses a query without ranks and ranks below 1', () => {
    expect(() => createMetrics().add('1p', [])).toThrow('got no ranks');
    expect(() => createMetrics().add('1p', [1, 0])).toThrow('got 0 at 1');
    expect(() => createMetrics().add('1p', [Number.NaN])).toThrow('got NaN at 0');
  });

  it('keeps structures that are none of the 14 apart from the averages', () => {
    const metrics = createMetrics();
    metrics.add('1p', [1]);
    metrics.add('far', [4]);
    const report = metrics.report();
    expect(report.own?.['far']).toMatchObject({ queries: 1, answers: 1, mrr: 0.25 });
    expect(report.withoutNegation).toMatchObject({ structures: ['1p'], mrr: 1 });
  });
});
