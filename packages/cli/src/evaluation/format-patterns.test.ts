import { meanMetrics } from '@fuzzqe/core/ranking';
import type { PatternMetrics } from '@fuzzqe/train';
import { describe, expect, it } from 'vitest';
import { formatPatterns } from './format-patterns.ts';

const figures = (mrr: number, exact: number): PatternMetrics => ({
  ...{ queries: 4, answers: 9, mrr, hits1: mrr / 2, hits3: mrr, hits10: 1, exact },
});

describe('the tables of patterns', () => {
  it('have a row for each type, with what was answered exactly, and the means', () => {
    const types = { '2m': figures(0.2, 1), '3c': figures(0.4, 4) };
    const text = formatPatterns(
      [{ name: 'FuzzQE, sets', types, mean: meanMetrics(Object.values(types)) }],
      'text',
    );
    expect(text).toMatch(/^ +MRR +H@1 +H@3 +H@10 exact$/m);
    expect(text).toMatch(/^2m +20\.0 +10\.0 +20\.0 100\.0 +25\.0$/m);
    expect(text).toMatch(/^3c +40\.0 +20\.0 +40\.0 100\.0 100\.0$/m);
    expect(text).toMatch(/^mean +30\.0 +15\.0 +30\.0 100\.0 +–$/m);
  });
});
