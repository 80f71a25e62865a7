import { readFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { FuzzError, findEdge, type NameEntry, schema } from '@fuzzqe/core';
import { pathExists, readError } from '@fuzzqe/files';
import {
  createNamesReader,
  createVocabulary,
  readAliases,
  readAttributes,
  readPrefixesTsv,
  readProvenances,
} from '@fuzzqe/names';
import { forEachLine, readText } from '../files/lines.ts';
import { packedEndings } from '../files/packings.ts';
import { deduplicateParts } from '../triples/deduplicate-parts.ts';
import { readTriples } from '../triples/read-triples.ts';
import { foldInverses, sortDistinct } from '../triples/sort-triples.ts';
import { numericIds } from '../triples/triple-names.ts';
import { createDataset, type Dataset } from './dataset.ts';
import { folderHeader } from './folder-header.ts';
import { hashDataset } from './hash-dataset.ts';

/**
 * Reads a dataset from a folder.
 *
 * Required: dataset.json, entities.tsv, relations.tsv, and train.tsv with ids. Optional: valid.tsv, test.tsv and rejected.tsv with ids,
 * prefixes.tsv, aliases.tsv, attributes.tsv and provenance.tsv. A file of triples may be compressed (`train.tsv.gz`).
 *
 * A repeated fact counts once, and a held-out fact that an earlier part states not at all.
 *
 * @throws FuzzError `data` with `path:line`: a file that is missing or does not have the promised form. `data` with the path: a rejected
 *   link that is a fact; a content whose hash is not the one that dataset.json gives.
 * @example
 * const places = await readDataset('data/places');
 */
export async function readDataset(folder: string): Promise<Dataset> {
  const headerPath = join(folder, 'dataset.json');
  await expectFolder(folder);
  const header = schema.parseJson(folderHeader, await readText(headerPath), {
    code: 'data',
    what: 'dataset',
    path: headerPath,
  });
  const [entities, relations] = [join(folder, 'entities.tsv'), join(folder, 'relations.tsv')];
  const prefixes = join(folder, 'prefixes.tsv');
  const named = await namesIn('entities', entities);
  const aliases = join(folder, 'aliases.tsv');
  const vocabulary = createVocabulary({
    entities: named,
    relations: await namesIn('relations', relations),
    ...((await pathExists(prefixes))
      ? { prefixes: readPrefixesTsv(await readText(prefixes), prefixes) }
      : {}),
    ...((await pathExists(aliases))
      ? { aliases: readAliases(() => readNow(aliases), named.length, aliases) }
      : {}),
  });
  const [columnsPath, valuesPath] = [join(folder, 'attributes.tsv'), join(folder, 'attribute-values.tsv')];
  const attributes = (await pathExists(columnsPath))
    ? readAttributes(await readText(columnsPath), () => readNow(valuesPath), {
        ...{ entityCount: named.length, columnsPath, valuesPath },
      })
    : undefined;
  const provenancePath = join(folder, 'provenance.tsv');
  const provenances = (await pathExists(provenancePath))
    ? readProvenances(readNow(provenancePath), { ...vocabulary, path: provenancePath })
    : undefined;
  const names = numericIds(vocabulary);
  const part = async (name: string): Promise<Int32Array> => {
    const path = await partPath(folder, name);
    return path === undefined ? new Int32Array(0) : factsIn(path);
  };
  const factsIn = async (path: string): Promise<Int32Array> =>
    foldInverses((await readTriples(path, { names })).triples);
  const train = await factsIn((await partPath(folder, 'train')) ?? join(folder, 'train.tsv'));
  const parts = deduplicateParts(
    { train, valid: await part('valid'), test: await part('test') },
    vocabulary.entityCount,
  );
  const rejectedPath = await partPath(folder, 'rejected');
  const rejected =
    rejectedPath === undefined
      ? undefined
      : sortDistinct(await factsIn(rejectedPath), vocabulary.entityCount);
  const { name, licence, description, sha256, origin, split } = header;
  const dataset = createDataset({
    name,
    licence,
    description,
    vocabulary,
    train: parts.train,
    valid: parts.valid,
    test: parts.test,
    ...(rejected === undefined ? {} : { rejected }),
    ...(attributes === undefined ? {} : { attributes }),
    ...(provenances === undefined ? {} : { provenances }),
    ...(origin === undefined ? {} : { origin }),
    ...(split === undefined ? {} : { split }),
  });
  if (rejectedPath !== undefined) expectNoFacts(dataset, rejectedPath);
  if (sha256 !== undefined && sha256 !== hashDataset(dataset)) {
    throw new FuzzError('data', `content: expected the hash ${sha256}, got ${hashDataset(dataset)}`, {
      path: headerPath,
      hint: 'A file has changed since the folder was written. If that was meant, take sha256 out of dataset.json.',
    });
  }
  return dataset;
}

/** A file of rows, when they are first asked for: few who read a data set do. */
function readNow(path: string): Uint8Array {
  try {
    return readFileSync(path);
  } catch (cause) {
    throw readError(path, cause);
  }
}

/** Line by line: of millions of names, no text holds the whole file. */
async function namesIn(kind: 'entities' | 'relations', path: string): Promise<readonly NameEntry[]> {
  const reader = createNamesReader(kind, path);
  await forEachLine(path, reader.add);
  return reader.entries;
}

async function partPath(folder: string, name: string): Promise<string | undefined> {
  for (const ending of ['', ...packedEndings.map((each) => `.${each}`)]) {
    const path = join(folder, `${name}.tsv${ending}`);
    if (await pathExists(path)) return path;
  }
  return undefined;
}

/** Refuses a link that is rejected and a fact. */
function expectNoFacts(
  { rejected = new Int32Array(), vocabulary, train, valid, test }: Dataset,
  path: string,
): void {
  for (let i = 0; i < rejected.length; i += 3) {
    const [head, relation, tail] = [rejected[i]!, rejected[i + 1]!, rejected[i + 2]!];
    if (![train, valid, test].some((part) => findEdge(part, head, relation, tail) >= 0)) continue;
    const keys = [vocabulary.entity(head), vocabulary.relation(relation), vocabulary.entity(tail)];
    throw new FuzzError(
      'data',
      `expected rejected links that are no facts, got the fact ${keys.map(({ key }) => key).join(' ')}`,
      { path, hint: 'Take the line out of this file, or out of the file of facts.' },
    );
  }
}

async function expectFolder(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isDirectory() === true) return;
  throw new FuzzError('data', `expected the folder of a data set, got ${found ? 'a file' : 'nothing'}`, {
    path,
    hint: found ? '`fuzzqe data import` makes a data set of a file of triples.' : 'Check the path.',
  });
}
