import { createMetrics } from '@fuzzqe/core/ranking';
import type { ComparedModel } from '@fuzzqe/pipeline';
import type { HalfStrataReport, StrataReport } from '@fuzzqe/train';
import { describe, expect, it } from 'vitest';
import { textWidth } from '../terminal/text-width.ts';
import { formatComparison } from './format-comparison.ts';
import { formatHalves, formatStrata } from './format-strata.ts';

function model(
  name: string,
  ranks: Readonly<Record<string, number>>,
  strata: StrataReport = {},
  answers = 30,
): ComparedModel {
  const metrics = createMetrics();
  for (const [structure, rank] of Object.entries(ranks))
    for (let i = 0; i < answers; i += 1) metrics.add(structure, [rank]);
  return { name, metrics: metrics.report(), strata };
}

const figures = { queries: 1, hits1: 0, hits3: 0, hits10: 1 };
const ours = model(
  'FuzzQE',
  { '1p': 2, '2p': 4, far: 10 },
  {
    '1p': [{ missing: 1, share: 1, answers: 40, mrr: 0.5, ...figures }],
    '2p': [
      { missing: 1, share: 0.75, answers: 120, mrr: 0.3, ...figures },
      { missing: 2, share: 0.25, answers: 40, mrr: 0.1, ...figures },
    ],
  },
);

describe('the table of an evaluation', () => {
  const comparison = { columns: [model('frequency', { '1p': 10, '2p': 10, far: 20 }), ours] };

  it('has four figures of each model, and own structures', () => {
    const lines = formatComparison(comparison, 'text').split('\n');
    expect(lines[0]).toMatch(/^% +frequency +FuzzQE$/);
    expect(lines.find((line) => line.startsWith('2p'))).toMatch(
      /^2p +10\.0 +0\.0 +0\.0 100\.0 +25\.0 +0\.0 +0\.0 100\.0$/,
    );
    expect(lines.find((line) => line.startsWith('far'))).toMatch(/ 10\.0 /);
  });

  it('says over which structures a mean is that lacks some, and nothing of one that lacks none', () => {
    const text = formatComparison(comparison, 'text');
    expect(text).toMatch(/^without negation\* +10\.0 .* 37\.5 /m);
    expect(text).toMatch(/^projection\* /m);
    expect(text).toMatch(/\n\n\* without negation, 2 of 9: 1p 2p\n\* projection, 2 of 3: 1p 2p$/);
    const whole = { columns: [model('whole', { '2u': 2, up: 4, '1p': 1, '2p': 1, '3p': 1 })] };
    expect(formatComparison(whole, 'text')).toMatch(/^union +37\.5 /m);
    expect(formatComparison(whole, 'text')).not.toMatch(/projection\*|union\*/);
  });

  it('keeps a bar in a name apart from the cells of Markdown', () => {
    const columns = [model('base|line', { '1p': 1 })];
    const [head] = formatComparison({ columns }, 'markdown').split('\n');
    expect(head).toContain('| base\\|line MRR % |');
  });

  it('has as many cells in every row of Markdown', () => {
    const lines = formatComparison(comparison, 'markdown')
      .split('\n')
      .filter((line) => line.startsWith('|'));
    expect(new Set(lines.map((line) => line.split('|').length)).size).toBe(1);
  });
});

describe('figures of few answers', () => {
  const few = { columns: [model('FuzzQE', { '2p': 2, '3p': 4 }), model('other', { '3p': 4 }, {}, 7)] };

  it('are marked by row, with the means over them, and the line below has their number', () => {
    const text = formatComparison(few, 'text');
    expect(text).toMatch(/^2p +50\.0/m);
    expect(text).toMatch(/^3p~ +25\.0/m);
    expect(text).toMatch(/^without negation\*~ /m);
    expect(text).toMatch(/\n\n~ fewer than 30 answers: 3p 7; one answer .* by more than 3 points$/);
  });

  it('are not marked with enough answers', () => {
    expect(formatComparison({ columns: [model('FuzzQE', { '2p': 2 })] }, 'text')).not.toContain('~');
    expect(formatStrata(ours, 'text')).not.toContain('~');
  });

  it('are marked by cell in a table by strata, in columns that stay straight', () => {
    const strata: StrataReport = {
      '2p': [
        { missing: 1, share: 0.9, answers: 180, mrr: 1, ...figures },
        { missing: 2, share: 0.1, answers: 20, mrr: 1, ...figures },
      ],
    };
    const text = formatStrata(model('FuzzQE', {}, strata), 'text');
    expect(text).toMatch(/\n2p +90\.0 +100\.0 +10\.0 ~100\.0 +~100\.0\n/);
    const lines = text.split('\n').filter((line) => /^(%|2p| |all)/.test(line));
    expect(new Set(lines.map(textWidth)).size).toBe(1);
    expect(text).toMatch(/~ fewer than 30 answers; one answer/);
  });
});

describe('a table on a narrow terminal', () => {
  const baselines = ['traversal', 'frequency', 'known facts'].map((name) =>
    model(name, { '1p': 10, '2p': 10 }),
  );
  const columns = [...baselines, ours];
  const widest = (text: string): number => Math.max(...text.split('\n').map(textWidth));

  it('has the MRR alone of all models but the last', () => {
    const text = formatComparison({ columns }, 'text', 80);
    expect(widest(text)).toBeLessThanOrEqual(80);
    expect(text).toMatch(/^2p +10\.0 +10\.0 +10\.0 +25\.0 +0\.0 +0\.0 100\.0$/m);
    expect(widest(formatComparison({ columns }, 'text', 120))).toBeGreaterThan(80);
    expect(formatComparison({ columns }, 'text', 120)).toMatch(/^2p( +10\.0 +0\.0 +0\.0 100\.0){3}/m);
  });

  it('stands in parts with the same rows where even that is too wide', () => {
    const whole = formatComparison({ columns }, 'text', 80);
    for (const width of [60, 45]) {
      const text = formatComparison({ columns }, 'text', width);
      expect(widest(text)).toBeLessThanOrEqual(width);
      const cells = (of: string): string[] => of.match(/\d+\.\d/g)!.sort();
      expect(cells(text)).toEqual(cells(whole));
      const parts = text.split('\n\n').slice(0, -1);
      expect(parts.length).toBeGreaterThan(1);
      for (const part of parts) expect(part).toMatch(/^2p /m);
    }
  });

  it('keeps four figures of several models while the baselines have one', () => {
    const two = [...columns.slice(0, 2), model('embedding', { '1p': 4 }), model('sets', { '1p': 2 })];
    const text = formatComparison({ columns: two, models: 2 }, 'text', 100);
    expect(widest(text)).toBeLessThanOrEqual(100);
    expect(text).toMatch(/^1p +10\.0 +10\.0 +25\.0 +0\.0 +0\.0 100\.0 +50\.0 +0\.0 100\.0 100\.0$/m);
    expect(formatComparison({ columns: two }, 'text', 100)).toMatch(
      /^1p +10\.0 +10\.0 +25\.0 +50\.0 +0\.0 100\.0 100\.0$/m,
    );
  });

  it('counts the columns of East Asian names', () => {
    const text = formatComparison({ columns: [model('模型', { '1p': 2, 日本語の構造: 2 })] }, 'text', 80);
    const [top, head, rule, ...rows] = text.split('\n');
    expect(textWidth(top!)).toBe(textWidth(head!));
    expect(textWidth(rule!)).toBe(textWidth(head!));
    for (const row of rows.slice(0, rows.indexOf('')).filter((line) => !line.startsWith('─')))
      expect(textWidth(row)).toBe(textWidth(head!));
  });
});

describe('the table by missing links', () => {
  it('has the share and the MRR of each stratum, and the shares of all answers', () => {
    const text = formatStrata(ours, 'text');
    expect(text).toMatch(/\n% +1 link +2 links +mean\n/);
    expect(text).toMatch(/\n2p +75\.0 +30\.0 +25\.0 +10\.0 +20\.0\n/);
    // The mean of 50 and 20, each structure once.
    expect(text).toMatch(/\nall answers +80\.0 +– +20\.0 +– +35\.0$/);
    expect(formatStrata(ours, 'markdown')).toContain('| 1p | 100.0 | 50.0 | – | – | 50.0 |');
  });
});

describe('the table by half-links', () => {
  const halves: HalfStrataReport = {
    '1p': [
      { known: 'both', share: 0.8, answers: 80, mrr: 0.5, ...figures },
      { known: 'neither', share: 0.2, answers: 20, mrr: 0.1, ...figures },
    ],
    '2p': [{ known: 'tail', share: 1, answers: 50, mrr: 0.2, ...figures }],
  };

  it('has the number of answers and the MRR of each, and those of all structures', () => {
    const text = formatHalves('FuzzQE', halves, 'text');
    expect(text).toMatch(/\n% +both +\(r, t\) +neither +mean\n/);
    expect(text).toMatch(/\n1p +80 +50\.0 +– +– +20 +~10\.0 +~30\.0\n/);
    expect(text).toMatch(/\n2p +– +– +50 +20\.0 +– +– +20\.0\n/);
    expect(text).toMatch(/\nall answers +80 +– +50 +– +20 +– +~25\.0\n/);
    expect(formatHalves('FuzzQE', halves, 'markdown')).toContain('| neither n |');
  });

  it('says which answers the graph does not derive', () => {
    const foreign = { '1p': [{ known: null, share: 1, answers: 50, mrr: 0.2, ...figures }] } as const;
    expect(formatHalves('FuzzQE', foreign, 'text')).toMatch(/\n1p +50 +20\.0 +–\n/);
  });
});
