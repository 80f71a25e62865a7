import { stat } from 'node:fs/promises';
import { FuzzError, type NameEntry, type Vocabulary } from '@fuzzqe/core';
import { freeExpansion, readLimits } from '@fuzzqe/files';
import { createVocabulary } from '@fuzzqe/names';
import { forEachLine } from '../files/lines.ts';
import { packingOf } from '../files/packings.ts';
import type { PickleValue } from '../pickle/pickle-value.ts';
import { withoutInverses } from '../triples/inverse-names.ts';
import { readIdNames } from '../triples/read-names.ts';
import { type FolderFiles, parts } from './layout.ts';
import { readPickledDict, unexpectedValue } from './read-pickle.ts';

/** The file of counts: `numentity: 14505` and `numrelations: 474`, inverses included. */
interface Stats {
  readonly entities: number;
  readonly relations: number;
}

/**
 * Reads what a folder in the BetaE layout calls its entities and relations.
 *
 * Keys are of id2ent.pkl or ent2id.pkl, and labels of entities.tsv, which alone will do, too; relations likewise.
 * Without any of them, ids are their own keys, as many as stats.txt says.
 *
 * @throws FuzzError `data`: names that do not agree with each other or with stats.txt; a relation 2k+1 that is not named
 *   as the inverse of 2k.
 */
export async function readBetaENames(files: FolderFiles): Promise<Vocabulary> {
  const stats = await readStats(files.find('stats.txt'), await sizeOfFacts(files));
  const entities = await entriesIn(files, 'ent', 'entities.tsv', stats?.entities);
  const relations = await entriesIn(files, 'rel', 'relations.tsv', stats?.relations);
  const path = files.find('relations.tsv', 'id2rel.pkl', 'rel2id.pkl');
  return createVocabulary({
    entities,
    relations:
      path === undefined ? relations.filter((_, id) => id % 2 === 0) : withoutInverses(relations, path),
  });
}

async function entriesIn(
  files: FolderFiles,
  kind: 'ent' | 'rel',
  table: string,
  count: number | undefined,
): Promise<NameEntry[]> {
  const tablePath = files.find(table);
  const labels = tablePath === undefined ? undefined : await readIdNames(tablePath);
  const pickled = await pickledKeys(files, kind);
  const keys = pickled?.keys ?? labels?.map(({ key }) => key);
  const path = pickled?.path ?? tablePath ?? files.find('stats.txt');
  if (keys === undefined) {
    if (count === undefined) {
      throw new FuzzError('data', `names: expected id2${kind}.pkl, ${table} or stats.txt, got none of them`, {
        hint: 'One of them must say how many there are.',
      });
    }
    return Array.from({ length: count }, (_, id) => ({ key: String(id), label: String(id) }));
  }
  if (count !== undefined && keys.length !== count) {
    throw new FuzzError('data', `names: expected ${count} as stats.txt says, got ${keys.length}`, {
      ...(path === undefined ? {} : { path }),
      hint: 'The files are not of one data set.',
    });
  }
  return keys.map((key, id) => {
    const entry = labels?.[id];
    if (labels !== undefined && entry?.key !== key) {
      throw new FuzzError(
        'data',
        `key of ${id}: expected ${JSON.stringify(key)} as in the pickle, got ${JSON.stringify(entry?.key)}`,
        { path: `${tablePath}:${id + 1}`, hint: 'The files are not of one data set.' },
      );
    }
    return entry ?? { key, label: key };
  });
}

async function pickledKeys(
  files: FolderFiles,
  kind: 'ent' | 'rel',
): Promise<{ readonly path: string; readonly keys: string[] } | undefined> {
  const path = files.find(`id2${kind}.pkl`, `${kind}2id.pkl`);
  if (path === undefined) return undefined;
  const { dict } = await readPickledDict(path);
  const isById = path.endsWith(`id2${kind}.pkl`);
  const keys: string[] = new Array(dict.keys.length);
  dict.keys.forEach((key, i) => {
    const [id, name]: readonly (PickleValue | undefined)[] = isById
      ? [key, dict.values[i]]
      : [dict.values[i], key];
    if (typeof id !== 'number' || !Number.isInteger(id) || id < 0 || id >= keys.length) {
      throw unexpectedValue(`ids in [0, ${keys.length})`, id, path);
    }
    if (typeof name !== 'string') throw unexpectedValue('names as strings', name, path);
    if (keys[id] !== undefined) throw unexpectedValue('each id once', id, path);
    keys[id] = name;
  });
  return { path, keys };
}

/** How many bytes the files of facts may have, unzipped: more names than that stand in none of them. */
async function sizeOfFacts(files: FolderFiles): Promise<number> {
  const { expansion } = readLimits();
  let bytes = 0;
  for (const part of parts) {
    const path = files.find(`${part}.txt`);
    if (path === undefined) continue;
    const { size } = await stat(path);
    bytes += packingOf(path) !== undefined ? Math.max(freeExpansion, size * expansion) : size;
  }
  return bytes;
}

async function readStats(path: string | undefined, most: number): Promise<Stats | undefined> {
  if (path === undefined) return undefined;
  const counts = new Map<string, number>();
  await forEachLine(path, (line, number) => {
    if (line.trim() === '') return;
    const [, name, count] = /^\s*(\w+)\s*:\s*(\d+)\s*$/.exec(line) ?? [];
    if (name === undefined) {
      throw new FuzzError('data', `stats: expected a name and a count, got ${JSON.stringify(line)}`, {
        path: `${path}:${number}`,
        hint: 'The lines are numentity: 14505 and numrelations: 474.',
      });
    }
    const value = Number(count);
    if (value > most)
      throw new FuzzError(
        'data',
        `stats: expected at most as many as facts can name (${most}), got ${count}`,
        {
          path: `${path}:${number}`,
          hint: 'Is it the file of this data set?',
        },
      );
    counts.set(name, value);
  });
  const [entities, relations] = [counts.get('numentity'), counts.get('numrelations')];
  if (entities !== undefined && relations !== undefined) return { entities, relations };
  throw new FuzzError('data', 'stats: expected numentity and numrelations, got less', {
    path,
    hint: 'The lines are numentity: 14505 and numrelations: 474.',
  });
}
