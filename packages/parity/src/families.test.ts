import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { planKinds } from '@fuzzqe/engine';
import type { ProfileName } from '@fuzzqe/export';
import type { FamilyName } from '@fuzzqe/model';
import { afterAll, describe, expect, it } from 'vitest';
import { checkLaws } from './laws/check-laws.ts';
import { paperLaws } from './laws/laws.ts';
import type { ParityMatrix } from './matrix/matrix.ts';
import { runParity } from './run-parity.ts';
import { rewriteRows, seal } from './testing/damaged-bundle.ts';
import { type TinyBundle, tinyOf } from './testing/tiny-bundle.ts';

const made: TinyBundle[] = [];
afterAll(() => Promise.all(made.map(({ directory }) => rm(directory, { recursive: true, force: true }))));

async function bundleOf(family: FamilyName, profile: ProfileName = 'fp32'): Promise<TinyBundle> {
  const bundle = await tinyOf(family, [profile]);
  made.push(bundle);
  return bundle;
}

const runtimes = ['node', 'javascript', 'web'] as const;
const parity = ({ directory }: TinyBundle): Promise<ParityMatrix> =>
  runParity({ bundle: directory, runtimes, fresh: 2, trees: 3, seed: 1 });

const byDistances = ['gqe', 'gqeDeepSets', 'query2box', 'betae', 'betaeDm'] as const;

describe.each<FamilyName>([...byDistances, 'complex'])('a bundle of the family %s', (family) => {
  it('answers on each runtime as in float64, in both modes and by every plan', async () => {
    const { cells, passed, reference } = await parity(await bundleOf(family));
    expect(cells.flatMap(({ failures }) => failures)).toEqual([]);
    expect([passed, reference.every(({ failures }) => failures.length === 0)]).toEqual([true, true]);
    expect(cells.map(({ runtime, modes }) => [runtime, modes.embedding.compared > 0])).toEqual(
      runtimes.map((runtime) => [runtime, true]),
    );
  });

  it('is told from one with two of its relations exchanged', async () => {
    const bundle = await bundleOf(family);
    await rewriteRows(bundle.directory, bundle, 'relationVectors', (rowOf) => ({ 2: rowOf(3), 3: rowOf(2) }));
    await seal(bundle.directory);
    const { cells, passed } = await parity(bundle);
    expect(passed).toBe(false);
    for (const { failures } of cells)
      expect(new Set(failures.map(({ by }) => by))).toEqual(new Set([...planKinds, 'sets', 'best']));
  });
});

it.each<[FamilyName, ProfileName, RegExp]>([
  ...byDistances.flatMap((family): [FamilyName, ProfileName, RegExp][] => [
    [family, 'fp16', new RegExp(`profile fp16: distances of ${family} `)],
    [family, 'int8', new RegExp(`profile int8: scores of ${family} are distances`)],
    [family, 'int8-basis', new RegExp(`profile int8-basis: scores of ${family} are distances`)],
  ]),
  ['complex', 'int8', /profile int8: vectors of complex may be negative/],
  ['complex', 'int8-basis', /profile int8-basis: vectors of complex may be negative/],
])('a bundle of the family %s cannot have the profile %s', async (family, profile, reason) => {
  await expect(tinyOf(family, [profile])).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringMatching(reason),
  });
});

/** The laws of the paper's table that a family breaks by its embedding, and those whose queries it does not embed. */
const laws: Readonly<Record<(typeof byDistances)[number], readonly [broken: string, beyond: string]>> = {
  gqe: ['I', 'VI VII VIII'],
  gqeDeepSets: ['I', 'VI VII VIII'],
  query2box: ['I', 'VI VII VIII'],
  betae: ['I VIII', 'VI'],
  betaeDm: ['I IV VI VIII', ''],
};

it.each(byDistances)('%s breaks these laws by its embedding, and no law by sets', async (family) => {
  const { directory } = await bundleOf(family);
  const { laws: rows } = await checkLaws({ bundle: directory, choices: 24 });
  const [broken, beyond] = laws[family];
  const named = (of: (row: (typeof rows)[number]) => boolean): string =>
    rows
      .filter(of)
      .map(({ numeral }) => numeral)
      .join(' ');
  expect(named(({ embedding }) => embedding?.broken !== undefined)).toBe(broken);
  expect(named(({ embedding }) => embedding === undefined)).toBe(beyond);
  expect(named(({ sets }) => sets?.broken !== undefined)).toBe('');
});

it('a bundle of the family complex has the profile fp16', async () => {
  const { cells, passed } = await parity(await bundleOf('complex', 'fp16'));
  expect(cells.flatMap(({ failures }) => failures)).toEqual([]);
  expect(passed).toBe(true);
});

it('laws are those of sets alone where a family embeds links, and of embeddings too otherwise', async () => {
  const lawsOf = async (family: FamilyName) =>
    (await checkLaws({ bundle: (await bundleOf(family)).directory, choices: 8 })).laws;
  const complex = await lawsOf('complex');
  expect(complex.map(({ numeral }) => numeral)).toEqual(paperLaws.map(({ numeral }) => numeral));
  expect(
    complex.filter(({ embedding, sets }) => embedding !== undefined || sets?.broken !== undefined),
  ).toEqual([]);
  expect((await lawsOf('gqe')).some(({ embedding }) => embedding !== undefined)).toBe(true);
});

it('the card of a bundle names its family, without choices that the family does not have', async () => {
  const cardOf = async (family: FamilyName) =>
    readFile(join((await bundleOf(family)).directory, 'README.md'), 'utf8');
  const card = await cardOf('gqe');
  expect(card).toContain('A model of the family `gqe`');
  expect(card).toMatch(/embeddings of queries of the structures `1p`, `2p`/);
  expect(card).not.toMatch(/Mapping g|Negation|AAAI/);
  expect(await cardOf('bases')).toMatch(/A FuzzQE model.*AAAI.*Negation.*Mapping g/s);
});
