import { didYouMean, FuzzError } from '@fuzzqe/core';
import { createAnswerer } from '@fuzzqe/core/query';
import { pathExists } from '@fuzzqe/files';
import type { Dataset } from '../datasets/dataset.ts';
import { type DrawnSet, drawnSetFile, drawnSets, ownPatterns } from '../sampling/drawn-sets.ts';
import { type QueryFile, readQueryFile, readQueryFileOf } from '../sampling/query-files.ts';
import { expectHard } from './expect-hard.ts';
import { isQuerySetName, listQuerySets, type QuerySetRecord, querySetFiles } from './query-set-record.ts';

/** Which queries of a data set are asked for. */
export interface WantedQueries {
  /** The name of an imported set, `balanced`, `unselected`, or the path of a file; undefined: the data set's own. */
  readonly queries?: string;
  /** Which part they are of. Default: what the set says, else `test`. */
  readonly part?: 'valid' | 'test';
}

/**
 * Reads the queries to evaluate on: a set that was imported under a name, a file, or the data set's own of a part.
 *
 * @throws FuzzError `usage`: no set and no file of that name, or a set of the other part. `data`: a set that was changed
 *   since its import, a file's hard answers that the smaller graph of the part gives, and what `readQueryFile` and `readQueryFileOf` throw.
 * @example
 * const asked = await openQueries('data/mine', dataset, { part: 'test' });
 */
export async function openQueries(
  folder: string,
  dataset: Dataset,
  { queries, part }: WantedQueries,
): Promise<QueryFile> {
  if (queries === undefined) return readQueryFileOf(folder, dataset, part ?? 'test');
  const drawn = drawnSets.find((set) => set === queries);
  if (drawn !== undefined) return readDrawnSet(folder, dataset, drawn, part ?? 'test');
  const sets = isQuerySetName(queries) ? await listQuerySets(folder) : [];
  const record = sets.find(({ name }) => name === queries);
  if (record !== undefined) return readQuerySet(folder, dataset, record, part);
  if (!isQuerySetName(queries) || (await pathExists(queries)))
    return readForeignFile(queries, dataset, part ?? 'test');
  const names = sets.map(({ name }) => name);
  const there = names.length === 0 ? 'no imported set' : names.join(', ');
  throw new FuzzError('usage', `the data set has no set of queries ${queries}, and there is no such file`, {
    path: folder,
    hint: didYouMean(
      queries,
      [...drawnSets, ownPatterns, ...names],
      `It has ${there}. Import one: fuzzqe data add-queries ${folder} FILE --name ${queries} --split valid.`,
    ),
  });
}

async function readDrawnSet(
  folder: string,
  dataset: Dataset,
  set: DrawnSet,
  part: 'valid' | 'test',
): Promise<QueryFile> {
  const path = drawnSetFile(folder, set, part);
  if (!(await pathExists(path)))
    throw new FuzzError('usage', `the data set has no ${set} ${part} queries yet`, {
      path,
      hint: `sample them: fuzzqe data sample ${folder} --${set} 300`,
    });
  return { ...(await readQueryFile(path, dataset, part)), set };
}

/** A file that nobody has held against the graph yet: taken for the wrong part, its answers would be facts that are recorded. */
function readForeignFile(path: string, dataset: Dataset, part: 'valid' | 'test'): Promise<QueryFile> {
  const { train, trainValid } = dataset.graphs();
  const exact = createAnswerer(part === 'test' ? trainValid : train);
  return readQueryFile(path, dataset, part, ({ structure, anchors, relations, hard }, line) => {
    expectHard(hard, exact.answer(structure.template, anchors, relations), part, line);
  });
}

async function readQuerySet(
  folder: string,
  dataset: Dataset,
  record: QuerySetRecord,
  part: 'valid' | 'test' | undefined,
): Promise<QueryFile> {
  const { name } = record;
  if (part !== undefined && part !== record.part)
    throw new FuzzError(
      'usage',
      `the set ${name} has ${record.part} queries, and ${part} ones were asked for`,
      {
        path: querySetFiles(folder, name).record,
        hint: 'Leave --split out: the set knows its part.',
      },
    );
  const path = querySetFiles(folder, name).queries;
  const file = await readQueryFile(path, dataset, record.part);
  if (file.sha256 !== record.sha256)
    throw new FuzzError('data', `content: expected the hash ${record.sha256}, got ${file.sha256}`, {
      path,
      hint: 'The file has changed since its import. Import the set again: fuzzqe data add-queries … --replace.',
    });
  return { ...file, set: name };
}
