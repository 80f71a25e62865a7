import { rm } from 'node:fs/promises';
import { FuzzError } from '@fuzzqe/core';
import { parityTolerances, readGolden, readManifest } from '@fuzzqe/core/bundle';
import { folderSource } from '@fuzzqe/serve';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { goldenParityCases, type ParityCase } from '../cases/parity-case.ts';
import { expectParity } from '../reports/expect-parity.ts';
import type { Answerer, ParityRuntime } from '../runtimes/runtime.ts';
import { tinyBundle } from '../testing/tiny-bundle.ts';
import { compareAnswers, compareRuntime, type ProfileTask } from './compare-answers.ts';
import type { ParityCell, ParityMatrix } from './matrix.ts';

let directory: string;
let task: ProfileTask;
beforeAll(async () => {
  ({ directory } = await tinyBundle());
  const source = folderSource(directory);
  const manifest = await readManifest(source);
  task = {
    directory,
    profile: 'fp32',
    graphs: manifest.profiles['fp32']!,
    cases: goldenParityCases(await readGolden(source, manifest, 'fp32')),
    beside: new Map(),
    tolerances: parityTolerances(manifest, 'fp32'),
    queryText: () => '',
    relation: String,
  };
});
afterAll(() => rm(directory, { recursive: true, force: true }));

/** One that does not start. */
const broken = (cause: Error): ParityRuntime => ({
  description: '',
  available: async () => ({ present: true }),
  open: () => Promise.reject(cause),
});

describe('a runtime that does not start for a bundle', () => {
  it('fails every comparison with its reason', async () => {
    const { passed, compared, failures, diagnosis } = await compareRuntime(
      'some',
      broken(new FuzzError('runtime', 'no memory')),
      task,
    );
    expect({ passed, compared }).toEqual({ passed: false, compared: 3 * 14 * 4 });
    expect(new Set(failures.map(({ message }) => message))).toEqual(new Set(['no memory']));
    expect(diagnosis.join('\n')).toContain('gives no answer');
  });

  it('ends the comparison where the reason is another than the runtime', async () => {
    const damaged = new FuzzError('bundle', 'damaged');
    await expect(compareRuntime('some', broken(damaged), task)).rejects.toBe(damaged);
  });
});

describe('a runtime that answers some queries', () => {
  const drawn = (): ParityCase[] => task.cases.map((entry) => ({ ...entry, kind: 'fresh' }));
  const compare = async (rank: Answerer['rank']): Promise<ParityCell> =>
    compareAnswers(
      'some',
      { runtime: 'some', rank, close: async () => {} },
      { ...task, cases: [...task.cases, ...drawn()] },
    );
  /** What is expected, so that only the asking can go wrong. */
  const expected: Answerer['rank'] = async (queries) =>
    queries.map((query) => task.cases.find((entry) => entry.query === query)!.expected);

  it('passes where it answers all of them, alone and together', async () => {
    expect(await compare(expected)).toMatchObject({ passed: true, compared: 2 * 3 * 14 * 4, failures: [] });
  });

  it('fails where it refuses every batch, though it answers each query alone', async () => {
    const { passed, sameRanking, failures, diagnosis } = await compare((queries, options) =>
      queries.length > 1 ? Promise.reject(new Error('one row only')) : expected(queries, options),
    );
    expect({ passed, sameRanking }).toEqual({ passed: false, sameRanking: 2 * 3 * 14 * 4 });
    expect(failures.map(({ kind, by, message }) => [kind, by, message])).toEqual(
      ['structure', 'operators', 'program', 'edge'].map((by) => ['batch', by, 'one row only']),
    );
    expect(diagnosis).toEqual([expect.stringContaining('refuses queries that are asked together')]);
  });

  it('fails where it refuses every query that is asked alone', async () => {
    const { passed, failures } = await compare((queries, options) =>
      queries.length === 1 ? Promise.reject(new Error('batches only')) : expected(queries, options),
    );
    expect(passed).toBe(false);
    expect(new Set(failures.map(({ kind }) => kind))).toEqual(new Set(['golden']));
  });

  it('fails where it gives fewer answers than were asked for', async () => {
    const { passed, failures } = await compare(async (queries, options) =>
      (await expected(queries, options)).slice(0, queries.length > 1 ? -1 : undefined),
    );
    expect(passed).toBe(false);
    expect(failures[0]).toMatchObject({ kind: 'batch', message: 'expected 42 answers, got 41' });
  });

  it('fails where nothing was compared', async () => {
    const nothing = { ...task, cases: [], graphs: { ...task.graphs } };
    const cell = await compareAnswers(
      'some',
      { runtime: 'some', rank: expected, close: async () => {} },
      nothing,
    );
    expect(cell).toMatchObject({ passed: false, compared: 0 });
  });
});

describe('expectParity', () => {
  const matrix = (change: Partial<ParityMatrix>): ParityMatrix => ({
    bundle: 'b',
    model: 'm',
    passed: true,
    profiles: ['fp32', 'int8'],
    cells: [],
    reference: [],
    skipped: [],
    ...change,
  });
  const cellOf = (profile: string, rank: Answerer['rank']): Promise<ParityCell> =>
    compareAnswers('some', { runtime: 'some', rank, close: async () => {} }, { ...task, profile });
  const good: Answerer['rank'] = async (queries) =>
    queries.map((query) => task.cases.find((entry) => entry.query === query)!.expected);

  it('refuses a profile that no runtime was compared in, whatever the reference says', async () => {
    const [one, other] = [await cellOf('fp32', good), await cellOf('int8', good)];
    expect(() => expectParity(matrix({ cells: [one, other] }))).not.toThrow();
    expect(() => expectParity(matrix({ cells: [one], reference: [other] }))).toThrow(
      /no runtime was compared in the profile int8/,
    );
    expect(() => expectParity(matrix({ reference: [one, other] }))).toThrow(/fp32, int8/);
  });

  it('names the runtime and the place of the first failure', async () => {
    const bad = await cellOf('int8', () => Promise.reject(new Error('gone')));
    expect(() => expectParity(matrix({ cells: [bad] }))).toThrow(
      /answers differ on some \(int8\); first golden 1p by structure/,
    );
  });
});
