import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { FuzzError, schema } from '@fuzzqe/core';
import type { FactChanges } from '@fuzzqe/data';
import { pathExists, readWholeFile } from '@fuzzqe/files';
import { answerModes } from '../evaluation/candidate-model.ts';
import { type PipelineFolders, pipelineFolders } from '../pipeline.ts';
import type { FigureChange } from './figure-changes.ts';

/** `refresh.json` of a refresh that has ended. */
export interface RefreshRecord {
  readonly format: 'fuzzqe-refresh';
  readonly version: 1;
  /** SHA-256 of the best parameters that it went on from. */
  readonly origin: string;
  /** Steps of the first training, of which a refresh takes a share. */
  readonly wholeSteps: number;
  readonly changes: FactChanges;
  /** On test queries whose answers did not change. */
  readonly figures: readonly FigureChange[];
}

const count = schema.integer({ min: 0 });
const fraction = schema.number({ min: 0, max: 1 });
const recordSchema: schema.Schema<RefreshRecord> = schema.object({
  format: schema.oneOf(['fuzzqe-refresh']),
  version: schema.oneOf([1]),
  origin: schema.string,
  wholeSteps: schema.integer({ min: 1 }),
  changes: schema.object({
    ...{ kept: count, added: count, removed: count, moved: count, restored: count },
    ...{ newEntities: schema.withDefault(count, 0), newRelations: schema.withDefault(count, 0) },
    ...{ rejected: schema.withDefault(count, 0), judged: schema.withDefault(count, 0) },
  }),
  figures: schema.array(
    schema.object({
      ...{ metric: schema.string, mode: schema.oneOf(answerModes), data: schema.string, queries: count },
      ...{ before: fraction, after: fraction },
    }),
  ),
});

/** The folders of a run, or of a refresh of it. */
export interface RunFolders extends Omit<PipelineFolders, 'bundle'> {
  /** Undefined of a run that was trained by itself. */
  readonly bundle: string | undefined;
}

/** What a refresh goes on from, and where it goes. */
export interface RefreshPlan {
  /** What the run itself has. */
  readonly root: RunFolders;
  /** The newest refresh that has ended; without one the run itself. */
  readonly from: RunFolders;
  readonly record: RefreshRecord | undefined;
  /** The folder of the next refresh. */
  readonly out: string;
  /** The folder that has all refreshes. */
  readonly all: string;
}

/** Where the record of a refresh stands in its folder. */
export function recordFileOf(out: string): string {
  return join(out, 'refresh.json');
}

/**
 * Finds what a refresh of a run goes on from: `refresh/1`, `refresh/2`, … in the folder of the run are refreshes.
 *
 * @throws FuzzError `usage`: a run that was trained by itself, without its data set. `checkpoint`: a record that is damaged.
 */
export async function planRefresh(run: string, earlierData: string | undefined): Promise<RefreshPlan> {
  const root = await rootOf(run, earlierData);
  const all = join(run, 'refresh');
  const numbers = (await readdir(all).catch((): string[] => []))
    .filter((name) => /^[1-9]\d*$/.test(name))
    .map(Number)
    .sort((a, b) => b - a);
  for (const number of numbers) {
    const path = recordFileOf(join(all, `${number}`));
    if (!(await pathExists(path))) continue;
    const text = (await readWholeFile(path, 'checkpoint')).toString('utf8');
    const record = schema.parseJson(recordSchema, text, {
      code: 'checkpoint',
      what: 'record of a refresh',
      path,
    });
    return {
      root,
      from: pipelineFolders(join(all, `${number}`)),
      record,
      out: join(all, `${number + 1}`),
      all,
    };
  }
  return { root, from: root, record: undefined, out: join(all, '1'), all };
}

async function rootOf(run: string, earlierData: string | undefined): Promise<RunFolders> {
  if (!(await pathExists(join(run, 'state.json')))) {
    const folders = pipelineFolders(run);
    return earlierData === undefined ? folders : { ...folders, data: earlierData };
  }
  if (earlierData !== undefined) return { data: earlierData, run, bundle: undefined };
  throw new FuzzError('usage', 'expected the data set that the run was trained on, got none', {
    path: run,
    hint: 'Give its folder: --earlier-data FOLDER. The folder of fuzzqe run has both, and needs none.',
  });
}
