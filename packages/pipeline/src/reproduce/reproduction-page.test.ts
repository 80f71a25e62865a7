import { familyTraining } from '@fuzzqe/train';
import { describe, expect, it } from 'vitest';
import { publishedRows } from './published-rows.ts';
import { type Reproduction, withoutModel } from './reproduction.ts';
import { reproductionPage, reproductionTable } from './reproduction-page.ts';

const run = (seed: number, figures: Readonly<Record<string, number>>) => ({
  ...{ seed, figures, best: 100, step: 100 + seed, ended: 'stalled' },
});
const machine = { node: 'v20.19.0', system: 'Linux', cpu: 'AMD EPYC', cpus: 2, memoryGiB: 8, versions: {} };
const made: Reproduction = {
  ...({ format: 'fuzzqe-reproduction', version: 1, table: 'links' } as const),
  data: { name: 'mine', sha256: 'ab', entities: 10, relations: 4, facts: 30 },
  queries: { part: 'test', set: 'drawn', each: 5, count: 10, of: 40, sha256: 'cd' },
  seeds: [1, 2],
  bounds: {},
  rows: [
    {
      ...({ family: withoutModel, mode: 'sets', state: 'untrained' } as const),
      runs: [{ ...run(0, { '1p': 0.4, '2in': 0.1 }), step: 0, ended: 'untrained' }],
    },
    {
      ...({ family: 'gqe', mode: 'sets', state: 'reached' } as const),
      runs: [run(1, { '1p': 0.5, '2in': 0.1 }), run(2, { '1p': 0.7, '2in': 0.3 })],
    },
    {
      family: 'gqe',
      mode: 'embedding',
      state: 'stopped',
      runs: [run(1, { '1p': 0.25 }), run(2, { '1p': 0.25 })],
    },
    { family: 'complex', state: 'refused', reason: 'links alone', runs: [] },
    { family: 'betae', state: 'open', runs: [] },
  ],
  published: [],
  made: { date: '2026-11-30T10:00:00Z', machine, command: 'fuzzqe reproduce links' },
};

describe('the page of a table', () => {
  it('has means over seeds with their deviation, and a dash for structures that are not embedded', () => {
    const page = reproductionPage(made);
    expect(page).toContain('# Table 4: Trained on link prediction only, on mine\n');
    expect(page).toContain('| Model | Mode | State | A_p | A_n | 1p | 2in |\n');
    expect(page).toContain('| No model | sets | needs no training | 40.0 | 10.0 | 40.0 | 10.0 |\n');
    expect(page).toContain('- Steps by seed: GQE 101, 102.\n');
    expect(page).toContain('| GQE | sets | reached | 60.0 ± 14.1 | 20.0 ± 14.1 | 60.0 | 20.0 |\n');
    expect(page).toContain('| GQE | embedding | stopped at its budget | 25.0 ± 0.0 | – | 25.0 | – |\n');
    expect(page).toContain('| ComplEx-N3 | – | refused | – | – | – | – |\n');
    expect(page).toContain('| BetaE | – | open, 0 of 2 seeds | – |');
    expect(page).toContain('- ComplEx-N3 is refused: links alone.');
  });

  it('says above MRR, and not above times, in which mode families are compared', () => {
    const compare = 'Compare families in mode embedding.';
    const above = (page: string) => page.slice(0, page.indexOf('\n|'));
    expect(above(reproductionPage(made))).toContain(compare);
    expect(reproductionPage({ ...made, table: 'times' })).not.toContain(compare);
  });

  it('says of the queries that they are drawn, unless they are official', () => {
    const drawn = 'not the official queries';
    expect(reproductionPage(made)).toContain(drawn);
    expect(reproductionPage(made)).toContain('10 of 40, at most 5 of each structure, test queries');
    const official = { ...made, queries: { ...made.queries, set: 'betae', count: 40 } };
    expect(reproductionPage(official)).not.toContain(drawn);
    expect(reproductionPage(official)).toContain('official queries of BetaE');
  });

  it('has figures of the paper with their source, and says if they are of other queries', () => {
    const published = publishedRows('links', 'fb15k-237');
    const page = reproductionPage({ ...made, published });
    expect(page).toMatch(/\| FuzzQE \| – \| published \| 21\.8 \| 6\.6 \| 44\.0 \|/);
    expect(page).toMatch(/\| BetaE \| – \| published \| 15\.8 \| 0\.5 \| 37\.7 \|/);
    expect(page).toContain('so they are not comparable');
    expect(page).toContain('table of models trained with only link prediction');
    expect(reproductionPage(made)).toContain('the paper has none for mine');
  });

  it('is the same for the same figures, whenever they were made', () => {
    const later = { ...made, made: { ...made.made, date: '2026-12-01T00:00:00Z' } };
    expect(reproductionPage(later).replace('2026-12-01', '2026-11-30')).toBe(reproductionPage(made));
  });
});

it('laws are signs, and the paper’s stand below with N/A as dashes', () => {
  const laws: Reproduction = {
    ...made,
    ...{ table: 'laws', seeds: [1], published: publishedRows('laws', undefined) },
    rows: [
      {
        ...({ family: 'gqe', mode: 'embedding', state: 'reached' } as const),
        runs: [{ ...run(1, { I: 0, II: 1 }), examples: { I: 'a; b: C has 1 and 0' } }],
      },
    ],
  };
  const { columns, rows } = reproductionTable(laws);
  expect(columns.map(({ title }) => title)).toEqual(['I', 'II', 'III', 'IV', 'V', 'VI', 'VII', 'VIII']);
  expect(rows[0]!.cells.slice(0, 3)).toEqual(['✗', '✓', '–']);
  const ofPaper = (method: string) =>
    rows.find(({ model, state }) => model === method && state === 'published');
  expect(ofPaper('FuzzQE')?.cells.join('')).toBe('✓✓✓✓✓✓✓✓');
  expect(ofPaper('Query2Box')?.cells.join('')).toBe('✓✓✓✓✓✓––');
  expect(ofPaper('BetaE, De Morgan')?.cells.join('')).toBe('✗✓✗✗✓✓✓✗');
  const page = reproductionPage(laws);
  expect(page).toContain('- GQE, mode embedding, law I: a; b: C has 1 and 0.');
  expect(page).toContain('✓: 48 draws of queries have no counter-example to the law, which is no proof.');
  expect(page).toContain('–: the model embeds no query that the law needs.');
  expect(page).toContain('A published row says which laws the formulas of a method satisfy');
  // The negation of blocks concerns a table with blocks alone, and laws no other table.
  const ofBlocks = 'λ = −0.5, with which scores of embeddings lose law VIII';
  const withBlocks = laws.rows.map((row) => ({ ...row, family: 'blocks' }));
  expect(page).not.toContain(ofBlocks);
  expect(reproductionPage({ ...laws, rows: withBlocks })).toContain(ofBlocks);
  expect(reproductionPage(made)).not.toContain('A published row says');
});

it('the presets have the negations that the page of laws states', () => {
  const lambda = (family: 'bases' | 'blocks') =>
    familyTraining(family, { entities: 1000, trainedOn: 'links' })!.model.negationLambda;
  expect([lambda('bases'), lambda('blocks')]).toEqual([0, -0.5]);
});
