import { createHash } from 'node:crypto';
import { dirname, join, resolve } from 'node:path';
import { FuzzError, type NameEntry, type Vocabulary } from '@fuzzqe/core';
import {
  expectWritable,
  makeFolder,
  pathExists,
  storageError,
  writeFolderWhole,
  writeNewFile,
} from '@fuzzqe/files';
import {
  entitiesTsvTexts,
  provenanceTexts,
  writeAttributeColumns,
  writePrefixesTsv,
  writeRelationsTsv,
} from '@fuzzqe/names';
import type { SampledQueries } from '../queries/sampled-queries.ts';
import { queriesToJsonLines } from '../queries/write-queries.ts';
import type { Dataset } from './dataset.ts';
import type { FolderHeader } from './folder-header.ts';
import { hashDataset } from './hash-dataset.ts';
import { readDataset } from './read-dataset.ts';

/** The parts of the queries that come with a dataset; a part without queries has no file. */
export interface DatasetQueries {
  readonly train?: readonly SampledQueries<string>[];
  readonly valid?: readonly SampledQueries<string>[];
  readonly test?: readonly SampledQueries<string>[];
}

/**
 * Writes a dataset to a new folder that `readDataset` reads, whole or not at all, and queries to `queries/` in it.
 *
 * The same dataset gives the same bytes.
 *
 * @throws FuzzError `usage`: the folder exists. `runtime`: another process writes there. `storage`: it cannot be written.
 * @example
 * await writeDataset('data/places', dataset);
 */
export async function writeDataset(
  folder: string,
  dataset: Dataset,
  queries: DatasetQueries = {},
): Promise<void> {
  await expectWritable(dirname(resolve(folder)));
  try {
    await writeFolderWhole(
      { path: folder, expectReplaceable: () => expectNone(folder) },
      async (temporary) => {
        for (const [name, texts] of filesOf(dataset)) await writeNewFile(join(temporary, name), texts);
        for (const part of ['train', 'valid', 'test'] as const) {
          const sets = queries[part];
          if (sets === undefined || sets.length === 0) continue;
          await makeFolder(join(temporary, 'queries'));
          await writeNewFile(join(temporary, 'queries', `${part}.jsonl`), queriesToJsonLines(sets));
        }
      },
    );
  } catch (cause) {
    throw storageError('folder: cannot be written', folder, cause);
  }
}

/**
 * Refuses a folder that is there already or cannot be made: before the work that is to end there.
 *
 * @throws FuzzError `usage`: it is there. `storage`: nothing can be written there.
 */
export async function expectNewFolder(folder: string): Promise<void> {
  await expectNone(folder);
  await expectWritable(dirname(resolve(folder)));
}

/**
 * Whether a folder holds this dataset: names, facts, split and header are those that `writeDataset` would write; queries may be there,
 * too. False for a folder that is not there or holds no whole dataset.
 */
export async function holdsDataset(folder: string, dataset: Dataset): Promise<boolean> {
  const found = await readDataset(folder).catch((cause: unknown) => {
    if (cause instanceof FuzzError) return undefined;
    throw cause;
  });
  return found !== undefined && hashFiles(found) === hashFiles(dataset);
}

/** The SHA-256 of all that is written of a dataset; `hashDataset` leaves out labels and texts. */
function hashFiles(dataset: Dataset): string {
  const hash = createHash('sha256');
  for (const [name, texts] of filesOf(dataset)) {
    hash.update(`${name}\n`);
    for (const text of texts) hash.update(text);
  }
  return hash.digest('hex');
}

async function expectNone(folder: string): Promise<void> {
  // As whatever writes there understands it: an empty path is the current folder, and is there.
  if (!(await pathExists(resolve(folder)))) return;
  throw new FuzzError('usage', 'folder: expected one that does not exist yet, got one that does', {
    path: folder,
    hint: 'Choose another folder, or remove it first.',
  });
}

function* filesOf(dataset: Dataset): Iterable<[name: string, texts: Iterable<string>]> {
  const { name, licence, description, vocabulary, origin, split } = dataset;
  const sha256 = hashDataset(dataset);
  const header: FolderHeader = {
    format: 1,
    name,
    licence,
    description,
    sha256,
    ...(origin === undefined ? {} : { origin }),
    ...(split === undefined ? {} : { split }),
  };
  const relations = Array.from({ length: vocabulary.relationCount / 2 }, (_, i): NameEntry => {
    const { inverse: _inverse, ...entry } = vocabulary.relation(2 * i);
    return entry;
  });
  yield ['dataset.json', [`${JSON.stringify(header, null, 2)}\n`]];
  yield ['entities.tsv', entitiesTsvTexts(entitiesOf(vocabulary))];
  yield ['relations.tsv', [writeRelationsTsv(relations)]];
  if (vocabulary.prefixes.size > 0) yield ['prefixes.tsv', [writePrefixesTsv(vocabulary.prefixes)]];
  if (vocabulary.aliases.count > 0) yield ['aliases.tsv', vocabulary.aliases.texts()];
  const { attributes } = dataset;
  if (attributes !== undefined) {
    yield ['attributes.tsv', [writeAttributeColumns(attributes.columns)]];
    yield ['attribute-values.tsv', attributes.rows.texts()];
  }
  if (dataset.provenances !== undefined) yield ['provenance.tsv', provenanceTexts(dataset.provenances)];
  yield ['train.tsv', linesOf(dataset.train)];
  if (dataset.valid.length > 0) yield ['valid.tsv', linesOf(dataset.valid)];
  if (dataset.test.length > 0) yield ['test.tsv', linesOf(dataset.test)];
  const { rejected } = dataset;
  if (rejected !== undefined && rejected.length > 0) yield ['rejected.tsv', linesOf(rejected)];
}

function* entitiesOf({ entityCount, entity }: Vocabulary): Generator<NameEntry> {
  for (let id = 0; id < entityCount; id++) yield entity(id);
}

/** Lines in texts of many, since a string a fact would be a million strings at a time. */
function* linesOf(triples: Int32Array): Generator<string> {
  let text = '';
  for (let i = 0; i < triples.length; i += 3) {
    text += `${triples[i]}\t${triples[i + 1]}\t${triples[i + 2]}\n`;
    if (text.length < 1 << 13) continue;
    yield text;
    text = '';
  }
  yield text;
}
