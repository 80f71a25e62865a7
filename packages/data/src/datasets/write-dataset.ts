import { chmod, mkdtemp, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import {
  FuzzError,
  type NameEntry,
  storageError,
  writeEntitiesTsv,
  writePrefixesTsv,
  writeRelationsTsv,
} from '@fuzzqe/core';
import { expectWritable, makeFolder } from '../files/make-folder.ts';
import { pathExists, syncFolder, writeTexts } from '../files/write-file.ts';
import type { SampledQueries } from '../queries/sampled-queries.ts';
import { queriesToJsonLines } from '../queries/write-queries.ts';
import type { Dataset } from './dataset.ts';
import type { FolderHeader } from './folder-header.ts';
import { hashDataset } from './hash-dataset.ts';

/** The parts of the queries that come with a dataset; a part without queries has no file. */
export interface DatasetQueries {
  readonly train?: readonly SampledQueries<string>[];
  readonly valid?: readonly SampledQueries<string>[];
  readonly test?: readonly SampledQueries<string>[];
}

/**
 * Writes a dataset to a new folder that `readDataset` reads, whole or not at all, and queries to `queries/` in it.
 *
 * The files go to a temporary folder beside it, are flushed to the disk, and the folder is renamed. The same dataset
 * gives the same bytes.
 *
 * @throws FuzzError `usage`: the folder exists. `storage`: it cannot be written.
 */
export async function writeDataset(
  folder: string,
  dataset: Dataset,
  queries: DatasetQueries = {},
): Promise<void> {
  const target = resolve(folder);
  await expectNewFolder(folder);
  let temporary: string | undefined;
  try {
    await makeFolder(dirname(target));
    temporary = await mkdtemp(join(dirname(target), `.${basename(target)}-`));
    // A temporary folder is for its owner only; a data set is as open as any folder that the user makes.
    await chmod(temporary, 0o777 & ~process.umask());
    for (const [name, texts] of filesOf(dataset)) await writeFlushed(join(temporary, name), texts);
    for (const part of ['train', 'valid', 'test'] as const) {
      const sets = queries[part];
      if (sets === undefined || sets.length === 0) continue;
      await makeFolder(join(temporary, 'queries'));
      await writeFlushed(join(temporary, 'queries', `${part}.jsonl`), queriesToJsonLines(sets));
    }
    await syncFolder(temporary);
    await rename(temporary, target);
    temporary = undefined;
    await syncFolder(dirname(target));
  } catch (cause) {
    if (temporary !== undefined) await rm(temporary, { recursive: true, force: true });
    if (cause instanceof FuzzError) throw cause;
    throw storageError('folder: cannot be written', folder, cause);
  }
}

/**
 * Refuses a folder that is there already or cannot be made: before the work that is to end there.
 *
 * @throws FuzzError `usage`: it is there. `storage`: nothing can be written there.
 */
export async function expectNewFolder(folder: string): Promise<void> {
  if (await pathExists(folder))
    throw new FuzzError('usage', 'folder: expected one that does not exist yet, got one that does', {
      path: folder,
      hint: 'Choose another folder, or remove it first.',
    });
  await expectWritable(dirname(resolve(folder)));
}

function* filesOf(dataset: Dataset): Iterable<[name: string, texts: Iterable<string>]> {
  const { name, licence, description, vocabulary, origin } = dataset;
  const sha256 = hashDataset(dataset);
  const header: FolderHeader = {
    format: 1,
    name,
    licence,
    description,
    sha256,
    ...(origin === undefined ? {} : { origin }),
  };
  const entities = Array.from({ length: vocabulary.entityCount }, (_, id) => vocabulary.entity(id));
  const relations = Array.from({ length: vocabulary.relationCount / 2 }, (_, i): NameEntry => {
    const { inverse: _inverse, ...entry } = vocabulary.relation(2 * i);
    return entry;
  });
  yield ['dataset.json', [`${JSON.stringify(header, null, 2)}\n`]];
  yield ['entities.tsv', [writeEntitiesTsv(entities)]];
  yield ['relations.tsv', [writeRelationsTsv(relations)]];
  if (vocabulary.prefixes.size > 0) yield ['prefixes.tsv', [writePrefixesTsv(vocabulary.prefixes)]];
  yield ['train.tsv', linesOf(dataset.train)];
  if (dataset.valid.length > 0) yield ['valid.tsv', linesOf(dataset.valid)];
  if (dataset.test.length > 0) yield ['test.tsv', linesOf(dataset.test)];
}

function* linesOf(triples: Int32Array): Generator<string> {
  for (let i = 0; i < triples.length; i += 3) yield `${triples[i]}\t${triples[i + 1]}\t${triples[i + 2]}\n`;
}

async function writeFlushed(path: string, texts: Iterable<string>): Promise<void> {
  const file = await open(path, 'wx');
  try {
    await writeTexts(file, texts);
    await file.sync();
  } finally {
    await file.close();
  }
}
