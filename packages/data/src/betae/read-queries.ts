import { FuzzError, type Vocabulary } from '@fuzzqe/core';
import {
  checkQuery,
  matchStructure,
  type Query,
  queryFromBetaE,
  type StructureMatch,
  type StructureName,
  structureNames,
} from '@fuzzqe/core/query';
import { PickleSet, type PickleValue } from '../pickle/pickle-value.ts';
import { createTupleReader, type PlainTuple } from '../pickle/plain-tuple.ts';
import {
  createQueriesBuilder,
  type QueriesBuilder,
  type SampledQueries,
} from '../queries/sampled-queries.ts';
import type { FolderFiles, Part } from './layout.ts';
import { readPickledDict, unexpectedValue } from './read-pickle.ts';

/** The queries of a part, and those of structures that are not among the 14. */
export interface PickledQueries {
  readonly queries: readonly SampledQueries[];
  readonly otherStructures: number;
}

/**
 * Reads the queries and answers of a part from its pickles; undefined where it has none.
 *
 * `<part>-queries.pkl` has sets of queries by structure; the answers are in train-answers.pkl, or in
 * `<part>-easy-answers.pkl` and `<part>-hard-answers.pkl`, by query. Unions come in disjunctive normal form; their
 * other form, by De Morgan's law, repeats them, and is counted among other structures.
 *
 * @throws FuzzError `data`: a query without answers, ids beyond the graph, an answer that is both easy and hard.
 * Source: https://github.com/snap-stanford/KGReasoning, `load_data` and `query_name_dict` in main.py.
 */
export async function readPickledQueries(
  files: FolderFiles,
  part: Part,
  vocabulary: Vocabulary,
): Promise<PickledQueries | undefined> {
  const path = files.find(`${part}-queries.pkl`);
  if (path === undefined) return undefined;
  const [easyName, hardName] =
    part === 'train'
      ? ['train-answers.pkl', undefined]
      : [`${part}-easy-answers.pkl`, `${part}-hard-answers.pkl`];
  const easy = await readAnswers(required(files, easyName, path), vocabulary.entityCount);
  const hard =
    hardName === undefined
      ? undefined
      : await readAnswers(required(files, hardName, path), vocabulary.entityCount);

  const { dict: byStructure, bytes } = await readPickledDict(path);
  const tupleOf = queryTuples(bytes, path);
  const built = new Map<StructureName, SampledQueries>();
  let otherStructures = 0;
  byStructure.keys.forEach((shape, i) => {
    const set = byStructure.values[i];
    if (!(set instanceof PickleSet)) throw unexpectedValue('a set of queries for each structure', set, path);
    const structure = structureOf(tupleOf(shape), path);
    if (structure === undefined) {
      otherStructures += set.items.length;
      return;
    }
    if (built.has(structure)) throw unexpectedValue(`queries of structure ${structure} once`, shape, path);
    const builder = createQueriesBuilder(structure);
    for (const query of set.items) {
      const { match, text } = readQuery(tupleOf(query), structure, path, vocabulary);
      addAnswered(builder, match, text, path, easy, hard);
    }
    if (builder.count > 0) built.set(structure, builder.build());
  });
  return { queries: structureNames.flatMap((name) => built.get(name) ?? []), otherStructures };
}

function required(files: FolderFiles, name: string, queries: string): string {
  const path = files.find(name);
  if (path !== undefined) return path;
  throw new FuzzError('data', `answers: expected ${name}, found none`, {
    path: queries,
    hint: 'Queries need the file of their answers beside them.',
  });
}

/** The answers by the text of their query. */
interface Answers {
  readonly path: string;
  readonly byQuery: ReadonlyMap<string, Int32Array>;
}

async function readAnswers(path: string, entityCount: number): Promise<Answers> {
  const { dict, bytes } = await readPickledDict(path);
  const tupleOf = queryTuples(bytes, path);
  let answers = 0;
  const byQuery = new Map<string, Int32Array>();
  dict.keys.forEach((query, i) => {
    const set = dict.values[i];
    const text = JSON.stringify(tupleOf(query));
    if (!(set instanceof PickleSet) && !Array.isArray(set))
      throw unexpectedValue('a set of answers', set, path);
    const items: readonly PickleValue[] = set instanceof PickleSet ? set.items : set;
    answers += items.length;
    // Each takes two bytes and more, where a set does not stand for many.
    if (answers > bytes)
      throw unexpectedValue(`at most ${bytes} answers in a file of as many bytes`, set, path);
    const ids = new Int32Array(items.length);
    items.forEach((id, k) => {
      if (typeof id !== 'number' || !Number.isInteger(id) || id < 0 || id >= entityCount) {
        throw unexpectedValue(`answers of ${text} in [0, ${entityCount})`, id, path);
      }
      ids[k] = id;
    });
    byQuery.set(text, ids.sort());
  });
  return { path, byQuery };
}

/** Copies the pickled queries of a file as nested arrays. */
function queryTuples(bytes: number, path: string): (value: PickleValue) => PlainTuple {
  const read = createTupleReader(bytes);
  return (value) => {
    const tuple = read(value);
    if (tuple !== undefined) return tuple;
    throw unexpectedValue(
      'queries: numbers and texts in tuples, at most 64 levels and 4096 parts',
      value,
      path,
    );
  };
}

/** What KGReasoning puts into the shape of a query for an entity, a relation, a negation and a union. */
const shapeCodes: ReadonlyMap<PlainTuple, number> = new Map([
  ['e', 0],
  ['r', 0],
  ['n', -2],
  ['u', -1],
]);

function structureOf(shape: PlainTuple, path: string): StructureName | undefined {
  const asQuery = (value: PlainTuple): unknown => {
    if (typeof value === 'object') return value.map(asQuery);
    const code = shapeCodes.get(value);
    if (code === undefined)
      throw unexpectedValue("the shape of a query in 'e', 'r', 'n' and 'u'", value, path);
    return code;
  };
  try {
    return matchStructure(queryFromBetaE(asQuery(shape)))?.structure.name;
  } catch (error) {
    // De Morgan's form of a union ends in ('n',) without a relation, which may not be read as a query.
    if (error instanceof FuzzError && error.code === 'query') return undefined;
    throw error;
  }
}

function readQuery(
  tuple: PlainTuple,
  structure: StructureName,
  path: string,
  vocabulary: Vocabulary,
): { readonly match: StructureMatch; readonly text: string } {
  const text = JSON.stringify(tuple);
  let query: Query;
  try {
    query = queryFromBetaE(tuple);
    checkQuery(query, vocabulary);
  } catch (cause) {
    if (!(cause instanceof FuzzError)) throw cause;
    throw new FuzzError('data', `query ${text}: ${cause.path ?? '$'}: ${cause.message}`, {
      path,
      hint: cause.hint ?? 'Is the file of another data set?',
      cause,
    });
  }
  const match = matchStructure(query);
  if (match?.structure.name === structure) return { match, text };
  const got = match?.structure.name ?? 'none of the 14 structures';
  throw new FuzzError(
    'data',
    `query ${text}: expected structure ${structure}, under which it stands, got ${got}`,
    {
      path,
      hint: 'The file is damaged, or not of the BetaE layout.',
    },
  );
}

function addAnswered(
  builder: QueriesBuilder<StructureName>,
  { anchors, relations }: StructureMatch,
  text: string,
  path: string,
  easy: Answers,
  hard: Answers | undefined,
): void {
  const known = easy.byQuery.get(text);
  const missing = hard === undefined ? none : hard.byQuery.get(text);
  if (known === undefined || missing === undefined) {
    const where = known === undefined ? easy.path : (hard?.path ?? path);
    throw new FuzzError('data', `answers: expected those of the query ${text}, got none`, {
      path: where,
      hint: 'The files of queries and answers are not of one data set.',
    });
  }
  const both = commonId(known, missing);
  if (both !== undefined) {
    throw new FuzzError('data', `hard answers of ${text}: expected none that is easy, got ${both} in both`, {
      path: hard?.path ?? path,
      hint: 'A hard answer is one that the smaller graph does not give.',
    });
  }
  builder.add({ anchors, relations, easy: known, hard: missing });
}

const none = new Int32Array(0);

/** The first number that both ascending lists have. */
function commonId(left: Int32Array, right: Int32Array): number | undefined {
  for (let i = 0, j = 0; i < left.length && j < right.length; ) {
    if (left[i] === right[j]) return left[i];
    if (left[i]! < right[j]!) i++;
    else j++;
  }
  return undefined;
}
