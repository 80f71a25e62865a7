import { createMetrics } from '@fuzzqe/core/ranking';
import type { ComparedModel } from '@fuzzqe/pipeline';
import { publishedFigures, type StrataReport } from '@fuzzqe/train';
import { describe, expect, it } from 'vitest';
import { textWidth } from '../terminal/text-width.ts';
import { formatComparison, formatStrata } from './format-comparison.ts';

function model(
  name: string,
  ranks: Readonly<Record<string, number>>,
  strata: StrataReport = {},
): ComparedModel {
  const metrics = createMetrics();
  for (const [structure, rank] of Object.entries(ranks)) metrics.add(structure, [rank]);
  return { name, metrics: metrics.report(), strata };
}

const figures = { queries: 1, hits1: 0, hits3: 0, hits10: 1 };
const ours = model(
  'FuzzQE',
  { '1p': 2, '2p': 4, far: 10 },
  {
    '1p': [{ missing: 1, share: 1, answers: 10, mrr: 0.5, ...figures }],
    '2p': [
      { missing: 1, share: 0.75, answers: 30, mrr: 0.3, ...figures },
      { missing: 2, share: 0.25, answers: 10, mrr: 0.1, ...figures },
    ],
  },
);

describe('the table of an evaluation', () => {
  const comparison = {
    columns: [model('frequency', { '1p': 10, '2p': 10, far: 20 }), ours],
    published: publishedFigures({ graph: 'fb15k-237' }),
  };

  it('has four figures of each model and the MRR of each row of the paper', () => {
    const lines = formatComparison(comparison, 'text').split('\n');
    expect(lines[0]).toMatch(/^% +frequency +FuzzQE +paper +paper, 1p$/);
    expect(lines.find((line) => line.startsWith('2p'))).toMatch(
      /^2p +10\.0 +0\.0 +0\.0 100\.0 +25\.0 +0\.0 +0\.0 100\.0 +13\.3 +10\.8$/,
    );
  });

  it('has own structures, which the paper has not', () => {
    expect(formatComparison(comparison, 'text')).toMatch(/\nfar .* 10\.0 .* – +–\n/);
  });

  it('has the averages that the paper prints', () => {
    const row = (name: string) =>
      formatComparison(comparison, 'markdown')
        .split('\n')
        .find((line) => line.startsWith(`| *${name}*`))!;
    expect(row('without negation')).toMatch(/ 24\.2 \| 21\.8 \|$/);
    expect(row('with negation')).toMatch(/ 8\.5 \| 6\.6 \|$/);
  });

  it('says of which queries the figures of the paper are', () => {
    expect(formatComparison(comparison, 'text')).toContain('official test queries');
    expect(formatComparison({ ...comparison, published: [] }, 'text')).not.toContain('official');
  });

  it('keeps a bar in a name apart from the cells of Markdown', () => {
    const columns = [model('base|line', { '1p': 1 })];
    const [head] = formatComparison({ columns, published: [] }, 'markdown').split('\n');
    expect(head).toContain('| base\\|line MRR % |');
  });

  it('has as many cells in every row of Markdown', () => {
    const lines = formatComparison(comparison, 'markdown')
      .split('\n')
      .filter((line) => line.startsWith('|'));
    expect(new Set(lines.map((line) => line.split('|').length)).size).toBe(1);
  });
});

describe('a table on a narrow terminal', () => {
  const baselines = ['traversal', 'frequency', 'known facts'].map((name) =>
    model(name, { '1p': 10, '2p': 10 }),
  );
  const columns = [...baselines, ours];
  const widest = (text: string): number => Math.max(...text.split('\n').map(textWidth));

  it('has the MRR alone of all models but the last', () => {
    const text = formatComparison({ columns, published: [] }, 'text', 80);
    expect(widest(text)).toBeLessThanOrEqual(80);
    expect(text).toMatch(/^2p +10\.0 +10\.0 +10\.0 +25\.0 +0\.0 +0\.0 100\.0$/m);
    expect(widest(formatComparison({ columns, published: [] }, 'text', 120))).toBeGreaterThan(80);
    expect(formatComparison({ columns, published: [] }, 'text', 120)).toMatch(
      /^2p( +10\.0 +0\.0 +0\.0 100\.0){3}/m,
    );
  });

  it('stands in parts with the same rows where even that is too wide', () => {
    const whole = formatComparison({ columns, published: [] }, 'text', 80);
    for (const width of [60, 45]) {
      const text = formatComparison({ columns, published: [] }, 'text', width);
      expect(widest(text)).toBeLessThanOrEqual(width);
      const cells = (of: string): string[] => of.match(/\d+\.\d/g)!.sort();
      expect(cells(text)).toEqual(cells(whole));
      const parts = text.split('\n\n');
      expect(parts.length).toBeGreaterThan(1);
      for (const part of parts) expect(part).toMatch(/^2p /m);
    }
    // The paper's columns come last, and whole.
    const text = formatComparison(
      { columns, published: publishedFigures({ graph: 'fb15k-237' }) },
      'text',
      80,
    );
    const [table] = text.split('\n\nFuzzQE');
    expect(widest(table!.split('\n\npaper')[0]!)).toBeLessThanOrEqual(80);
    expect(text).toMatch(/^2p +13\.3 +10\.8$/m);
  });

  it('counts the columns of East Asian names', () => {
    const text = formatComparison(
      { columns: [model('模型', { '1p': 2, 日本語の構造: 2 })], published: [] },
      'text',
      80,
    );
    const [top, head, rule, ...rows] = text.split('\n');
    expect(textWidth(top!)).toBe(textWidth(head!));
    expect(textWidth(rule!)).toBe(textWidth(head!));
    for (const row of rows.filter((line) => !line.startsWith('─')))
      expect(textWidth(row)).toBe(textWidth(head!));
  });
});

describe('the table by missing links', () => {
  it('has the share and the MRR of each stratum, and the shares of all answers', () => {
    const text = formatStrata(ours, 'text');
    expect(text).toMatch(/\n% +1 link +2 links\n/);
    expect(text).toMatch(/\n2p +75\.0 +30\.0 +25\.0 +10\.0\n/);
    expect(text).toMatch(/\nall answers +80\.0 +– +20\.0 +–$/);
    expect(formatStrata(ours, 'markdown')).toContain('| 1p | 100.0 | 50.0 | – | – |');
  });
});
