import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Reproduction } from '@fuzzqe/pipeline';
import { expect, it } from 'vitest';
import { runFuzzqe } from '../testing/run-fuzzqe.ts';
import { formatReproduction } from './reproduce.ts';

it('unknown tables, families and data are refused with one error, before anything is written', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'fuzzqe-reproduce-'));
  const out = join(folder, 'out');
  const refusal = async (...args: readonly string[]): Promise<string> => {
    const { code, notes } = await runFuzzqe('reproduce', ...args, '--out', out);
    expect(code).toBe(2);
    return notes;
  };
  expect(await refusal('5')).toContain('Allowed choices are laws, accuracy, links, times, 2, 3, 4, H');
  expect(await refusal('4', '--families', 'gqee')).toContain('did you mean "gqe"?');
  expect(await refusal('4', '--data', 'nowhere')).toContain('expected a folder, a file, or countries');
  expect(await refusal('4', '--data', 'nell995')).toContain(
    'fuzzqe data download nell995 --out data/nell995',
  );
  expect(await readdir(folder)).toEqual([]);
  await rm(folder, { recursive: true });
});

const machine = { node: 'v20.19.0', system: 'Linux', cpu: 'AMD EPYC', cpus: 2, memoryGiB: 8, versions: {} };
const structures = ['1p', '2p', '3p', '2i', '3i', 'pi', 'ip', '2u', 'up'];
const made: Reproduction = {
  ...({ format: 'fuzzqe-reproduction', version: 1, table: 'links' } as const),
  data: { name: 'mine', sha256: 'ab', entities: 10, relations: 4, facts: 30 },
  queries: { part: 'test', set: 'drawn', each: 5, count: 40, of: 40, sha256: 'cd' },
  ...{ seeds: [1], bounds: {}, published: [] },
  rows: [
    {
      ...({ family: 'gqe', mode: 'sets', state: 'stopped' } as const),
      runs: [
        {
          ...{ seed: 1, best: 1, step: 2, ended: 'minutes' },
          figures: Object.fromEntries(structures.map((name) => [name, 0.25])),
        },
      ],
    },
    { family: 'betae', state: 'refused', reason: 'no queries', runs: [] },
  ],
  made: { date: '2026-11-30T10:00:00Z', machine, command: 'fuzzqe reproduce links' },
};

it('a narrow terminal has the means of a table, and a wide one all structures', () => {
  const narrow = formatReproduction(made, 80);
  expect(narrow[0]).toMatch(/^Model +Mode +A_p +A_n +1p +State$/);
  expect(narrow[1]).toMatch(/^GQE +sets +25\.0 +– +25\.0 +stopped at its budget$/);
  expect(narrow).toContain('BetaE is refused: no queries.');
  expect(narrow.join('\n')).toContain('40 test queries, drawn by FuzzQE, not the official ones; seeds 1.');
  expect(narrow.join('\n')).toContain('Compare families in mode embedding.');
  expect(narrow.at(-1)).toBe('The page has all columns.');
  const wide = formatReproduction(made, 200);
  expect(wide[0]).toMatch(/1p +2p +3p +2i/);
  expect(wide.at(-1)).not.toBe(narrow.at(-1));
});
