import { cpSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDataset, type Dataset } from '@fuzzqe/data';
import { tinyDataset } from '@fuzzqe/data/testing';
import type { AnyFamilyName } from '@fuzzqe/model';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ReproduceEvent, type ReproduceOptions, reproduce, reproductionFiles } from './reproduce.ts';
import { type Reproduction, readReproduction, withoutModel } from './reproduction.ts';

const dataset: Dataset = tinyDataset('tiny', 1);
let folder: string;
let whole: Reproduction;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fuzzqe-reproduce-'));
  whole = await reproduce(task('whole'));
}, 120_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Two small runs. */
function task(out: string, changes: Partial<ReproduceOptions> = {}): ReproduceOptions {
  return {
    ...{ table: 'links', data: dataset, out: join(folder, out), threads: 1 },
    ...{ families: ['blocks', 'gqe'], seeds: [1], steps: 6, each: 4 },
    ...changes,
  };
}

/** What two computations of the same table share, as bytes. */
async function bytesOf(out: string): Promise<string> {
  const { made: _, ...figures } = await readReproduction(join(folder, out, 'links.json'));
  return JSON.stringify(figures);
}

describe('a table', () => {
  it('has a row for every family and mode, with figures of the structures that the family embeds', () => {
    expect(whole.rows.map(({ family, mode, state }) => [family, mode, state])).toEqual([
      ['none', 'sets', 'untrained'],
      ['blocks', 'embedding', 'stopped'],
      ['blocks', 'sets', 'stopped'],
      ['gqe', 'embedding', 'stopped'],
      ['gqe', 'sets', 'stopped'],
    ]);
    const structuresOf = (row: number) => Object.keys(whole.rows[row]!.runs[0]!.figures);
    expect(structuresOf(2)).toContain('2in');
    expect(structuresOf(3)).toContain('2i');
    expect(structuresOf(3)).not.toContain('2in');
    expect(whole.queries).toMatchObject({ part: 'test', set: 'drawn', each: 4 });
    expect(whole.rows[1]!.runs[0]).toMatchObject({ seed: 1, step: 6, ended: 'finished' });
  });

  it('that was stopped or killed in its second run goes on to the same bytes', async () => {
    const controller = new AbortController();
    let family = '';
    const stop = (event: ReproduceEvent): void => {
      if (event.kind === 'begin') family = event.family;
      if (event.kind !== 'step' || family !== 'gqe') return;
      // What a process leaves that is killed here; its lock is free, since it lives no more.
      const isKept = (path: string): boolean => !/lock-\d/.test(path);
      if (event.step === 2)
        cpSync(join(folder, 'stopped'), join(folder, 'killed'), { recursive: true, filter: isKept });
      if (event.step === 3) controller.abort();
    };
    const stopped = task('stopped', { onEvent: stop, signal: controller.signal });
    await expect(reproduce(stopped)).rejects.toMatchObject({ code: 'interrupted' });
    for (const out of ['stopped', 'killed']) {
      const half = await readReproduction(join(folder, out, 'links.json'));
      expect(half.rows.map((row) => [row.family, row.state])).toEqual([
        ['none', 'untrained'],
        ['blocks', 'stopped'],
        ['blocks', 'stopped'],
        ['gqe', 'open'],
      ]);
      const files = await readdir(join(folder, out), { recursive: true });
      expect(files.filter((file) => file.includes('.tmp-'))).toEqual([]);

      const told: ReproduceEvent[] = [];
      await reproduce(task(out, { onEvent: (event) => told.push(event) }));
      expect(told.filter(({ kind }) => kind === 'kept')).toEqual([{ kind: 'kept', done: 1, total: 2 }]);
      expect(told.filter(({ kind }) => kind === 'step').length).toBe(out === 'stopped' ? 3 : 6);
      expect(told.map(({ kind }) => kind)).not.toContain('evidence');
      expect(await bytesOf(out)).toBe(await bytesOf('whole'));
    }
  }, 120_000);

  it('has one row without a model for all seeds, which is measured once for both tables of accuracy', async () => {
    const told: string[] = [];
    const both = task('both', { onEvent: ({ kind }) => told.push(kind), steps: 1, families: ['gqe'] });
    const first = (await reproduce({ ...both, seeds: [1, 2] })).rows[0]!;
    expect(first).toMatchObject({ family: withoutModel, mode: 'sets', runs: [{ step: 0 }] });
    expect(Object.keys(first.runs[0]!.figures)).toContain('pni');
    // The queries decide its figures, the families do not.
    expect(first).toEqual(whole.rows[0]);
    expect((await reproduce({ ...both, table: 'accuracy' })).rows[0]).toEqual(first);
    expect(told.filter((kind) => kind === 'evidence')).toHaveLength(1);
    const fewer = (await reproduce({ ...both, each: 1 })).rows[0]!;
    expect(fewer.runs[0]!.figures).not.toEqual(first.runs[0]!.figures);
    expect(told.filter((kind) => kind === 'evidence')).toHaveLength(2);
    const { rows } = await reproduce({ ...both, table: 'laws' });
    expect(rows.map(({ family }) => family)).not.toContain(withoutModel);
  }, 120_000);

  it('that was stopped before the first run says how to go on', async () => {
    const controller = new AbortController();
    const early = task('early', { signal: controller.signal, onEvent: () => controller.abort() });
    await expect(reproduce(early)).rejects.toMatchObject({
      code: 'interrupted',
      message: expect.stringContaining('stopped'),
      hint: 'The same command goes on from there.',
    });
    expect((await reproduce(task('early', { steps: 1 }))).rows[0]!.state).toBe('untrained');
  }, 120_000);

  it('has BetaE by De Morgan, with figures of every structure', async () => {
    const made = await reproduce(task('de-morgan', { families: ['betae', 'betaeDm'], steps: 1 }));
    const rows = made.rows.slice(1);
    expect(rows.map(({ family, mode }) => [family, mode])).toEqual([
      ['betae', 'embedding'],
      ['betae', 'sets'],
      ['betaeDm', 'embedding'],
      ['betaeDm', 'sets'],
    ]);
    const columns = (row: number) => Object.keys(rows[row]!.runs[0]!.figures);
    expect(columns(2)).toEqual(columns(3));
    expect(columns(2)).toContain('2u');
  }, 120_000);

  it('differs with another seed, and a damaged cell is made again', async () => {
    await reproduce(task('other', { seeds: [2], families: ['gqe'] }));
    const { rows } = await readReproduction(join(folder, 'other', 'links.json'));
    expect(rows[1]!.runs[0]!.figures).not.toEqual(whole.rows[3]!.runs[0]!.figures);

    const cell = join(folder, 'other', 'cells', 'links', 'gqe-2.json');
    const before = await readFile(cell, 'utf8');
    await writeFile(cell, before.slice(0, 40));
    const kinds: string[] = [];
    await reproduce(
      task('other', { seeds: [2], families: ['gqe'], onEvent: ({ kind }) => kinds.push(kind) }),
    );
    expect(kinds).not.toContain('kept');
    expect(await readFile(cell, 'utf8')).toBe(before);
  }, 120_000);

  it('says which runs were stopped at their budget, and goes on with a larger one alone', async () => {
    const { steps: _, ...unbounded } = task('budget', { families: ['gqe'], minutes: 0.002 });
    const first = await reproduce(unbounded);
    expect(first.rows.map(({ state }) => state)).toEqual(['untrained', 'stopped', 'stopped']);
    const reached = first.rows[1]!.runs[0]!;
    expect(reached.ended).toBe('minutes');

    const again: string[] = [];
    await reproduce({ ...unbounded, onEvent: ({ kind }) => again.push(kind) });
    expect(again).toContain('kept');
    const { rows } = await reproduce({ ...unbounded, minutes: 0.01 });
    expect(rows[1]!.runs[0]!.step).toBeGreaterThan(reached.step);
  }, 120_000);

  it('goes on with more steps, and leaves a run alone whose validation stalled', async () => {
    const few = task('steps', { families: ['gqe'], steps: 2 });
    expect((await reproduce(few)).rows.map(({ state }) => state)).toEqual([
      'untrained',
      'stopped',
      'stopped',
    ]);
    const more = (await reproduce({ ...few, steps: 5 })).rows[1]!;
    expect(more).toMatchObject({ state: 'stopped', runs: [{ step: 5, ended: 'finished' }] });

    // Stands for validation that stalled at step 5.
    const edit = async (path: string, change: (text: string) => string) =>
      writeFile(join(folder, 'steps', path), change(await readFile(join(folder, 'steps', path), 'utf8')));
    const stall = (text: string) =>
      text.replaceAll('"finished"', '"stalled"').replace('"stopped"', '"reached"');
    await edit('cells/links/gqe-1.json', stall);
    await edit('runs/links/gqe/seed-1/state.json', (text) =>
      text.replace('"ended": "finished"', '"ended": "stalled"'),
    );
    const stalled = { state: 'reached', runs: [{ step: 5, ended: 'stalled' }] };
    expect((await reproduce({ ...few, steps: 9 })).rows[1]).toMatchObject(stalled);
    // Measured anew, it is not trained either.
    await rm(join(folder, 'steps', 'cells'), { recursive: true });
    expect((await reproduce({ ...few, steps: 9 })).rows[1]).toMatchObject(stalled);
  }, 120_000);
});

it('fewer steps than runs have are refused before any training, with their steps', async () => {
  const kinds: string[] = [];
  const first = task('fewer', { families: ['gqe'], steps: 5 });
  await reproduce(first);
  const before = await bytesOf('fewer');
  const fewer = reproduce({
    ...first,
    ...{ steps: 3, families: ['blocks', 'gqe'], onEvent: ({ kind }) => kinds.push(kind) },
  });
  await expect(fewer).rejects.toMatchObject({
    code: 'usage',
    message: 'steps: expected at least the 5 that runs in the folder have, got 3',
    path: join(folder, 'fewer', 'runs', 'links', 'gqe', 'seed-1'),
  });
  expect(kinds).not.toContain('begin');
  expect(await bytesOf('fewer')).toBe(before);
  // A family without longer runs takes part, and the page has its rows only.
  const { rows } = await reproduce({ ...first, steps: 3, families: ['blocks'] });
  expect(rows[1]!.runs[0]!.step).toBe(3);
  expect(new Set(rows.map(({ family }) => family))).toEqual(new Set([withoutModel, 'blocks']));
  const page = await readFile(reproductionFiles(first.out, 'links').page, 'utf8');
  expect(page).not.toContain('| GQE |');
  // The run of the other family stays, so its rows come back without training.
  const begun: string[] = [];
  await reproduce({ ...first, onEvent: (event) => event.kind === 'begin' && begun.push(event.family) });
  expect(begun).toEqual([]);
  expect(await bytesOf('fewer')).toBe(before);
}, 120_000);

it('times have every mode, and CQD-beam and QTO over the links of the same run', async () => {
  const { rows } = await reproduce(task('times', { table: 'times', families: ['gqe'], steps: 1 }));
  expect(rows.map(({ mode }) => mode)).toEqual(['embedding', 'sets', 'beam-product', 'qto']);
  const columns = rows.map(({ runs }) => Object.keys(runs[0]!.figures));
  expect(columns[0]).not.toContain('2in');
  expect(columns[3]).toEqual(columns[1]);
  expect(columns[2]).toContain('2in');
  for (const { runs } of rows)
    for (const time of Object.values(runs[0]!.figures)) expect(time).toBeGreaterThan(0);
}, 120_000);

describe('what cannot be compared', () => {
  it('is a family without a preset, which says so in its row', async () => {
    // Stands for a family that has no preset yet.
    const later = 'later' as AnyFamilyName;
    const { rows } = await reproduce(task('none', { families: [later] }));
    expect(rows.slice(1)).toEqual([
      { family: 'later', state: 'refused', reason: 'later has no preset that fits any graph', runs: [] },
    ]);
  });

  it('is a data set without validation facts', async () => {
    const none = new Int32Array(0);
    const data = createDataset({ ...dataset, valid: none, test: none });
    await expect(reproduce(task('empty', { data }))).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('no validation facts'),
    });
  });
});
