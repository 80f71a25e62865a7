import { createHash } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { expectOptions, FuzzError } from '@fuzzqe/core';
import type { Dataset } from '@fuzzqe/data';
import { expectWritable, lockFolder, makeFolder, writeFileWhole } from '@fuzzqe/files';
import { type AnyFamilyName, familyNames } from '@fuzzqe/model';
import {
  currentEnvironment,
  familyTraining,
  minutesFor,
  publishedGraphOf,
  type RunOptions,
  type RunResult,
  type TrainingConfig,
} from '@fuzzqe/train';
import { type Cell, readCell, writeCell } from './cell-file.ts';
import { expectNoLongerRuns } from './expect-no-longer-runs.ts';
import { openMaterial } from './material.ts';
import { measureEvidence } from './measure-evidence.ts';
import { type MeasuredData, type ModeFigures, measureRun } from './measure-run.ts';
import { publishedRows } from './published-rows.ts';
import { type ReproducedRow, type Reproduction, type SeedFigures, withoutModel } from './reproduction.ts';
import { reproductionPage } from './reproduction-page.ts';
import { type ReproducedTable, tableKinds, timing } from './table-kinds.ts';
import { minutesUsed, trainCell } from './train-cell.ts';

/** Which table, of which data, and how. */
export interface ReproduceOptions {
  readonly table: ReproducedTable;
  /** A data set, its folder, or triples as `fuzzqe data import` reads them. */
  readonly data: string | Dataset;
  /** Where the table, its runs and a copy of the data go. A folder that a call left unfinished is continued. */
  readonly out: string;
  /** What to call the data. Default: their own name. */
  readonly name?: string;
  /** Default: three for figures of accuracy, otherwise one. */
  readonly seeds?: readonly number[];
  /** Minutes that the training of each run may take. Default: 15 unless `steps` is given. */
  readonly minutes?: number | undefined;
  /** Most steps of each run. Default: those of the family's preset. */
  readonly steps?: number | undefined;
  /** Queries of each structure that are asked at most. Default: 250, and 100 of more than 32 768 entities. */
  readonly each?: number | undefined;
  /** Default: all. */
  readonly families?: readonly AnyFamilyName[];
  readonly threads?: number;
  /** The command that makes the table again, for its page. */
  readonly command?: string;
  readonly onEvent?: (event: ReproduceEvent) => void;
  /** Ends at the next safe place, with the error `interrupted`; the same call then goes on. */
  readonly signal?: AbortSignal;
}

/** What a reproduction tells. */
export type ReproduceEvent =
  | {
      readonly kind: 'progress';
      readonly what: string;
      readonly unit: string;
      readonly done: number;
      readonly total: number;
    }
  /** The row without a model was measured. */
  | { readonly kind: 'evidence' }
  | { readonly kind: 'kept'; readonly done: number; readonly total: number }
  | {
      readonly kind: 'begin';
      readonly family: AnyFamilyName;
      readonly seed: number;
      readonly place: number;
      readonly total: number;
    }
  | { readonly kind: 'end'; readonly family: AnyFamilyName; readonly seed: number; readonly cell: Cell }
  | ({ readonly kind: 'step' } & Parameters<NonNullable<RunOptions['onStep']>>[0])
  | ({ readonly kind: 'validation' } & Parameters<NonNullable<RunOptions['onValidation']>>[0]);

/** Where the parts of a table are. */
export const reproductionFiles = (
  out: string,
  table: ReproducedTable,
): { readonly json: string; readonly page: string } => ({
  json: join(out, `${table}.json`),
  page: join(out, `${table}.md`),
});

/**
 * Makes a table of the paper: trains every family with every seed, measures each in every mode, and writes a page and JSON.
 *
 * The page and the JSON are written after every run, whole or not at all. A run that has ended is neither trained nor measured
 * again, unless the call gives more minutes or steps than have stopped the run.
 *
 * @throws FuzzError `usage`: `out` holds another graph or runs of more steps, or the data hold out no facts. `data`: the data. `interrupted`: the signal was raised.
 * @example
 * const { rows } = await reproduce({ table: 'links', data: loadCountries(), out: 'runs/countries-tables' });
 */
export async function reproduce(options: ReproduceOptions): Promise<Reproduction> {
  expectOptions('reproduce', options, ['table', 'data', 'out']);
  await expectWritable(options.out);
  await makeFolder(options.out);
  const lock = await lockFolder(options.out);
  try {
    return await reproduceInFolder(options);
  } catch (error) {
    throw error instanceof FuzzError && error.code === 'interrupted' ? stopped(error) : error;
  } finally {
    await lock.release();
  }
}

async function reproduceInFolder(options: ReproduceOptions): Promise<Reproduction> {
  const { table, out, onEvent = () => {}, signal, minutes, steps } = options;
  const kind = tableKinds[table];
  const { seeds = kind.seeds, families = familyNames } = options;
  const threads = options.threads ?? Math.min(4, availableParallelism());
  const material = await openMaterial(options, threads);
  const { dataset, asked, part, described } = material;
  const { name, vocabulary } = dataset;
  const facts = dataset.train.length / 3;
  const cells = new Map<string, Cell>();
  let evidence: readonly ReproducedRow[] | undefined;
  const measured: MeasuredData = {
    ...{ shared: out, dataset, part, queries: asked, threads, signal },
    onProgress: (what, unit, at, of) => onEvent({ kind: 'progress', what, unit, done: at, total: of }),
  };
  const summary = (): Reproduction => ({
    ...({ format: 'fuzzqe-reproduction', version: 1, table } as const),
    data: {
      ...{ name, sha256: described.data, facts },
      ...{ entities: vocabulary.entityCount, relations: vocabulary.relationCount },
    },
    queries: described.queries,
    seeds,
    bounds: { ...(minutes === undefined ? {} : { minutes }), ...(steps === undefined ? {} : { steps }) },
    rows: [
      ...(evidence ?? []),
      ...families.flatMap((family) =>
        rowsOf(
          family,
          seeds.map((seed) => cells.get(`${family} ${seed}`)),
        ),
      ),
    ],
    published: publishedRows(
      table,
      publishedGraphOf({
        entityCount: vocabulary.entityCount,
        relationCount: vocabulary.relationCount,
        facts,
      }),
    ),
    made: { date: new Date().toISOString(), machine: currentEnvironment(), command: options.command ?? '' },
  });
  const write = async (): Promise<Reproduction> => {
    const made = summary();
    const files = reproductionFiles(out, table);
    await writeFileWhole(files.page, reproductionPage(made));
    await writeFileWhole(files.json, `${JSON.stringify(made, null, 2)}\n`);
    return made;
  };
  const jobs = seeds.flatMap((seed) => families.map((family) => jobOf(family, seed)));
  for (const job of jobs) {
    const kept = await keptCell(job);
    if (kept !== undefined) cells.set(job.name, kept);
  }
  await expectNoLongerRuns(jobs.filter(({ name }) => !cells.has(name)));
  if (cells.size > 0) onEvent({ kind: 'kept', done: cells.size, total: jobs.length });
  if (kind.unit === 'mrr') evidence = await evidenceRows();
  for (const [i, job] of jobs.entries()) {
    const { family, seed } = job;
    if (cells.has(job.name)) continue;
    if (signal?.aborted)
      throw new FuzzError('interrupted', `stopped after ${cells.size} of ${jobs.length} runs`);
    onEvent({ kind: 'begin', family, seed, place: i + 1, total: jobs.length });
    const cell = await madeCell(job);
    if (cell.state !== 'refused') await writeCell(job.path, job.key, cell);
    cells.set(job.name, cell);
    onEvent({ kind: 'end', family, seed, cell });
    await write();
  }
  return write();

  function jobOf(family: AnyFamilyName, seed: number): Job {
    const training = familyTraining(family, { entities: vocabulary.entityCount, trainedOn: kind.trainedOn });
    const config = training && { ...training, seed, steps: steps ?? training.steps };
    return {
      ...{ family, seed, config, name: `${family} ${seed}`, presetSteps: training?.steps ?? 0 },
      budget: config && minutesFor(config, { minutes, steps }),
      run: join(out, 'runs', kind.trainedOn, family, `seed-${seed}`),
      path: join(out, 'cells', table, `${family}-${seed}.json`),
      key: keyOf({
        ...{ training: training && { ...training, seed }, ...described, table },
        ...(table === 'times' ? { timing } : {}),
      }),
    };
  }

  /** What the other evidence gives without a model, which an earlier call or another table of the folder may have measured. */
  async function evidenceRows(): Promise<readonly ReproducedRow[]> {
    const path = join(out, 'cells', `${withoutModel}.json`);
    const key = keyOf(described);
    const state = 'untrained';
    let cell = await readCell(path, key);
    if (cell === undefined) {
      const run = { seed: 0, best: 0, step: 0, ended: state };
      cell = { state, modes: (await measureEvidence(measured)).map((each) => modeOf(each, run)) };
      await writeCell(path, key, cell);
      onEvent({ kind: 'evidence' });
    }
    return cell.modes.map(({ mode, run }) => ({ family: withoutModel, mode, state, runs: [run] }));
  }

  /** A cell that an earlier call has made, unless the call has more minutes or steps for it, or fewer steps. */
  async function keptCell({ path, key, run, budget, config }: Job): Promise<Cell | undefined> {
    const kept = await readCell(path, key);
    const of = kept?.modes[0]?.run;
    if (of === undefined || config === undefined || config.steps < of.step) return undefined;
    const canGoOn =
      of.ended === 'minutes'
        ? budget === undefined || budget > (await minutesUsed(run))
        : of.ended === 'finished' && config.steps > of.step;
    return canGoOn ? undefined : kept;
  }

  async function madeCell({ family, run, config, budget, seed, presetSteps }: Job): Promise<Cell> {
    if (config === undefined)
      return { state: 'refused', reason: `${family} has no preset that fits any graph` };
    let result: RunResult;
    try {
      result = await trainCell({
        ...{ run, dataset, config, queries: material.queries, minutes: budget, threads, signal },
        onStep: (at) => onEvent({ kind: 'step', ...at }),
        onValidation: (at) => onEvent({ kind: 'validation', ...at }),
      });
    } catch (error) {
      // What a family cannot learn from, it says by its configuration.
      if (error instanceof FuzzError && error.code === 'config')
        return { state: 'refused', reason: error.message };
      throw error;
    }
    const found = await measureRun(table, {
      ...measured,
      ...{ run, name, seed, valid: material.queries.valid },
    });
    const { ended, step, state } = result;
    const isCut = ended === 'minutes' || (ended === 'finished' && step < presetSteps);
    const best = state.best?.step ?? step;
    return {
      state: isCut ? 'stopped' : 'reached',
      modes: found.map((each) => modeOf(each, { seed, best, step, ended })),
    };
  }
}

/** A mode of a cell: its figures, with what gave them. */
function modeOf(
  { mode, ...figures }: ModeFigures,
  { seed, ...run }: Omit<SeedFigures, 'figures'>,
): { readonly mode: string; readonly run: SeedFigures } {
  return { mode, run: { seed, ...figures, ...run } };
}

/** What is trained and measured for a cell. */
interface Job {
  readonly name: string;
  readonly family: AnyFamilyName;
  readonly seed: number;
  /** Undefined if the family has no preset. */
  readonly config: TrainingConfig | undefined;
  /** The steps of its preset, which its configuration may cut. */
  readonly presetSteps: number;
  /** Minutes. */
  readonly budget: number | undefined;
  /** The folder of its run, and the file of its cell. */
  readonly run: string;
  readonly path: string;
  /** Names what decides its figures. */
  readonly key: string;
}

/** The rows of a family: one for each mode, or one that says why there is no figure. */
function rowsOf(family: AnyFamilyName, cells: readonly (Cell | undefined)[]): readonly ReproducedRow[] {
  const refused = cells.find((cell) => cell?.state === 'refused');
  if (refused?.state === 'refused') return [{ family, state: 'refused', reason: refused.reason, runs: [] }];
  const made = cells.flatMap((cell) => (cell === undefined || cell.state === 'refused' ? [] : [cell]));
  const modes = [...new Set(made.flatMap(({ modes }) => modes.map(({ mode }) => mode)))];
  if (modes.length === 0) return [{ family, state: 'open', runs: [] }];
  const isStopped = made.some(({ state }) => state === 'stopped');
  const state = made.length < cells.length ? 'open' : isStopped ? 'stopped' : 'reached';
  return modes.map((mode) => ({
    ...{ family, mode, state },
    runs: made.flatMap((cell) => cell.modes.filter((each) => each.mode === mode).map(({ run }) => run)),
  }));
}

function keyOf(parts: object): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

/** Whatever was stopped, the same call goes on. */
function stopped({ message, path, cause }: FuzzError): FuzzError {
  return new FuzzError('interrupted', message.includes('stopped') ? message : `stopped: ${message}`, {
    ...(path === undefined ? {} : { path }),
    ...(cause === undefined ? {} : { cause }),
    hint: 'The same command goes on from there.',
  });
}
