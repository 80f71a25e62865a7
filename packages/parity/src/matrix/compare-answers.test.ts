import { rm } from 'node:fs/promises';
import { parityTolerances, type Ranked, readGolden, readManifest } from '@fuzzqe/bundle';
import { FuzzError } from '@fuzzqe/core';
import type { Query } from '@fuzzqe/core/query';
import { folderSource } from '@fuzzqe/serve';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { goldenParityCases, type ParityCase } from '../cases/parity-case.ts';
import { expectParity } from '../reports/expect-parity.ts';
import type { Answerer, ParityRuntime } from '../runtimes/runtime.ts';
import { tinyBundle } from '../testing/tiny-bundle.ts';
import { answersTo, compareAnswers, compareRuntime, type ProfileTask } from './compare-answers.ts';
import type { ParityCell, ParityMatrix } from './matrix.ts';
import type { AskedBy } from './ways.ts';

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
    expect({ passed, compared }).toEqual({ passed: false, compared: answersTo(task.cases, task.graphs) });
    expect(compared).toBeGreaterThan(3 * 14 * 4 + 14);
    expect(new Set(failures.map(({ message }) => message))).toEqual(new Set(['no memory']));
    expect(diagnosis.join('\n')).toContain('gives no answer');
  });

  it('ends the comparison where the reason is another than the runtime', async () => {
    const damaged = new FuzzError('bundle', 'damaged');
    await expect(compareRuntime('some', broken(damaged), task)).rejects.toBe(damaged);
  });
});

describe('a runtime that is a program of its own', () => {
  it('ends the comparison where it does not start: that is nothing of the bundle', async () => {
    const runtime = {
      ...broken(new FuzzError('runtime', 'no library', { path: '/bin/it' })),
      isProgram: true,
    };
    await expect(compareRuntime('some', runtime as ParityRuntime, task)).rejects.toMatchObject({
      ...{ code: 'runtime', path: '/bin/it', message: 'some, fp32: does not start: no library' },
      hint: expect.stringContaining('--runtimes'),
    });
  });

  it.each(['alone', 'together'])('ends the comparison where it ends, asked %s', async (how) => {
    let asked = 0;
    let closed = 0;
    let ended: string | undefined;
    const rank = async (): Promise<never> => {
      asked += 1;
      if (asked > 2) ended = 'it ended';
      throw new Error('connection lost');
    };
    const answerer: Answerer = {
      ...{ runtime: 'some', rank, degrees: rank, best: rank, match: rank, ended: () => ended },
      close: async () => void closed++,
    };
    const drawn = task.cases.map((entry) => ({ ...entry, kind: 'fresh' as const }));
    const runtime: ParityRuntime = { ...broken(new Error('not opened')), open: async () => answerer };
    const cases = how === 'alone' ? task.cases : [...task.cases.slice(0, 2), ...drawn];
    await expect(compareRuntime('some', runtime, { ...task, cases })).rejects.toMatchObject({
      code: 'runtime',
      message: 'some, fp32: it ended; nothing more was compared',
    });
    expect({ asked, closed }).toEqual({ asked: 3, closed: 1 });
  });
});

describe('a runtime that answers some queries', () => {
  /** Golden cases, and the same as if they had been drawn: those are asked without what is known, too. */
  const cases = (): readonly ParityCase[] => [...task.cases, ...drawn];
  let drawn: readonly ParityCase[];
  beforeAll(() => {
    drawn = task.cases.map((entry) => ({
      ...entry,
      kind: 'fresh',
      expected: { ...entry.expected, open: { ids: [1, 0], scores: [2, 1] } },
    }));
  });
  const compare = async (answerer: Partial<Answerer>): Promise<ParityCell> =>
    compareAnswers('some', { ...expected, ...answerer }, { ...task, cases: cases() });
  const caseOf = (query: Query): ParityCase => drawn.find((entry) => entry.query === query)!;
  /** What is expected, so that only the asking can go wrong. */
  const expected: Answerer = {
    runtime: 'some',
    rank: async (queries, { exclude }) =>
      queries.map((query) => {
        const { expected } = caseOf(query);
        return exclude === 'known' ? { ...expected, ...expected.open! } : expected;
      }),
    degrees: async (queries) => queries.map((query) => setOf(caseOf(query))),
    best: async (queries) => queries.map((query) => caseOf(query).expected.set!),
    match: async () => expect.fail('no pattern'),
    close: async () => {},
  };
  /** A set with the expected best, and nothing else. */
  const setOf = ({ expected: { set } }: ParityCase): Float32Array => {
    const degrees = new Float32Array(40);
    Array.from(set!.ids).forEach((id, i) => {
      degrees[id] = set!.scores[i]!;
    });
    return degrees;
  };
  const ways: readonly AskedBy[] = ['structure', 'operators', 'program', 'edge', 'exclusion', 'sets', 'best'];

  it('passes where it answers all of them, alone and together, in both modes', async () => {
    const { passed, failures, compared, modes } = await compare({});
    const sets = task.cases.filter(({ expected }) => expected.set !== undefined).length;
    expect({ passed, failures, compared }).toEqual({
      passed: true,
      failures: [],
      compared: answersTo(cases(), task.graphs),
    });
    expect(modes.embedding).toEqual({ compared: 42 * 9, sameRanking: 42 * 9, beside: null });
    expect(modes.sets).toEqual({ compared: 4 * sets, sameRanking: 4 * sets, beside: null });
  });

  it('fails where it refuses every batch, though it answers each query alone', async () => {
    const { passed, modes, failures, diagnosis } = await compare({
      rank: (queries, options) =>
        queries.length > 1 ? Promise.reject(new Error('one row only')) : expected.rank(queries, options),
      degrees: (queries) =>
        queries.length > 1 ? Promise.reject(new Error('one row only')) : expected.degrees(queries),
      best: (queries, k) =>
        queries.length > 1 ? Promise.reject(new Error('one row only')) : expected.best(queries, k),
    });
    expect({ passed, same: modes.embedding.sameRanking }).toEqual({ passed: false, same: 42 * 9 });
    expect(failures.map(({ kind, by, message }) => [kind, by, message])).toEqual(
      ways.map((by) => ['batch', by, 'one row only']),
    );
    expect(diagnosis).toEqual([expect.stringContaining('refuses queries that are asked together')]);
  });

  it('fails where it refuses every query that is asked alone', async () => {
    const { passed, failures } = await compare({
      rank: (queries, options) =>
        queries.length === 1 ? Promise.reject(new Error('batches only')) : expected.rank(queries, options),
    });
    expect(passed).toBe(false);
    expect(new Set(failures.map(({ kind }) => kind))).toEqual(new Set(['golden']));
  });

  it('fails where it gives fewer answers than were asked for', async () => {
    const { passed, failures } = await compare({
      rank: async (queries, options) =>
        (await expected.rank(queries, options)).slice(0, queries.length > 1 ? -1 : undefined),
      degrees: async (queries) =>
        (await expected.degrees(queries)).slice(0, queries.length > 1 ? -1 : undefined),
      best: async (queries, k) =>
        (await expected.best(queries, k)).slice(0, queries.length > 1 ? -1 : undefined),
    });
    expect(passed).toBe(false);
    const batches = failures.filter(({ kind }) => kind === 'batch');
    expect(batches.map(({ by }) => by)).toEqual(ways);
    expect(batches[0]).toMatchObject({ message: 'expected 42 answers, got 41' });
  });

  it('fails where it ranks what the facts give all the same', async () => {
    const { failures } = await compare({
      rank: (queries, { exclude: _, ...rest }) => expected.rank(queries, rest),
    });
    expect(new Set(failures.map(({ by }) => by))).toEqual(new Set(['exclusion']));
    expect(failures).toHaveLength(42);
  });

  it('fails where a degree of the best is another, is no number, or where there are too few', async () => {
    const wrong = async (change: (set: Float32Array, best: number) => Float32Array): Promise<ParityCell> =>
      compare({
        degrees: async (queries) =>
          queries.map((query) => change(setOf(caseOf(query)), caseOf(query).expected.set!.ids[0]!)),
      });
    const changes: readonly ((set: Float32Array, best: number) => Float32Array)[] = [
      (set, best) => set.with(best, set[best]! + 1e-3),
      (set, best) => set.with(best, Number.NaN),
      (set) => set.subarray(0, 3),
      () => new Float32Array(),
    ];
    for (const change of changes) {
      const { passed, modes, failures } = await wrong(change);
      expect({ passed, same: modes.embedding.sameRanking }).toEqual({ passed: false, same: 42 * 9 });
      expect(failures).toHaveLength(modes.sets.compared / 2);
      expect(new Set(failures.map(({ by }) => by))).toEqual(new Set(['sets']));
    }
  });

  it('fails where the best alone are others, or fewer than have a degree, and passes where what is left out has none', async () => {
    const bestFrom = (change: (set: Ranked) => Ranked): Promise<ParityCell> =>
      compare({ best: async (queries) => queries.map((query) => change(caseOf(query).expected.set!)) });
    const last = await bestFrom(({ ids, scores }) => ({
      ids: Array.from(ids).slice(0, -1),
      scores: Array.from(scores).slice(0, -1),
    }));
    const wrong = await bestFrom(({ ids, scores }) => ({ ids, scores: Array.from(scores, (x) => x + 1e-2) }));
    for (const { passed, failures } of [last, wrong]) {
      expect(passed).toBe(false);
      expect(new Set(failures.map(({ by }) => by))).toEqual(new Set(['best']));
    }
    expect(wrong.failures).toHaveLength(wrong.modes.sets.compared / 2);
    const padded = drawn.find(({ expected: { set } }) => set !== undefined)!;
    const set = {
      ids: [...Array.from(padded.expected.set!.ids), 39],
      scores: [...Array.from(padded.expected.set!.scores), 0],
    };
    const entry: ParityCase = { ...padded, expected: { ...padded.expected, set } };
    const answerer: Answerer = {
      ...expected,
      best: async (queries) => queries.map((query) => caseOf(query).expected.set!),
    };
    const { failures } = await compareAnswers('some', answerer, { ...task, cases: [...task.cases, entry] });
    expect(failures.filter(({ by }) => by === 'best')).toEqual([]);
  });

  it('fails where a degree below the best is another, once all are known', async () => {
    /** Those whose best are clearly above what an altered degree becomes. */
    const clear = drawn.filter(({ expected: { set } }) => set !== undefined && set.scores[9]! > 1e-3);
    const known = clear.map((entry): ParityCase => {
      const set = { ...entry.expected.set!, degrees: setOf(entry) };
      return { ...entry, expected: { ...entry.expected, set } };
    });
    const asked = { ...task, cases: [...task.cases, ...known] };
    expect(await compareAnswers('some', expected, asked)).toMatchObject({ passed: true });
    const low: Answerer = {
      ...expected,
      degrees: async (queries) =>
        queries.map((query) => {
          const set = setOf(caseOf(query));
          return set.with(set.indexOf(0), 1e-4);
        }),
    };
    const { failures } = await compareAnswers('some', low, asked);
    const fresh = failures.filter(({ kind }) => kind === 'fresh');
    expect(fresh.map(({ by, anchors }) => ({ by, anchors }))).toEqual(
      clear.map(({ anchors }) => ({ by: 'sets', anchors })),
    );
    expect(fresh.length).toBeGreaterThan(5);
  });

  it('fails where nothing was compared', async () => {
    const nothing = { ...task, cases: [], graphs: { ...task.graphs } };
    const cell = await compareAnswers('some', expected, nothing);
    expect(cell).toMatchObject({ passed: false, compared: 0 });
  });

  it('fails where nothing was compared in one of both modes, however right the other is', async () => {
    const withoutSets = cases().map(({ expected: { set: _, ...others }, ...entry }) => ({
      ...entry,
      expected: others,
    }));
    const { passed, failures, modes } = await compareAnswers('some', expected, {
      ...task,
      cases: withoutSets,
    });
    expect(failures).toEqual([]);
    expect([passed, modes.sets.compared, modes.embedding.compared > 0]).toEqual([false, 0, true]);
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
    undecided: [],
    ...change,
  });
  const cellOf = (profile: string, rank: Answerer['rank']): Promise<ParityCell> => {
    const degrees: Answerer['degrees'] = async (queries) =>
      queries.map((query) => {
        const set = new Float32Array(40);
        const { ids, scores } = task.cases.find((entry) => entry.query === query)!.expected.set!;
        Array.from(ids).forEach((id, i) => {
          set[id] = scores[i]!;
        });
        return set;
      });
    const best: Answerer['best'] = async (queries) =>
      queries.map((query) => task.cases.find((entry) => entry.query === query)!.expected.set!);
    return compareAnswers(
      'some',
      { runtime: 'some', rank, degrees, best, match: async () => [], close: async () => {} },
      { ...task, profile },
    );
  };
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
