import type { StructureName } from '@fuzzqe/core/query';
import { createIntList } from '../triples/int-list.ts';
import { type QueryStructure, structureOf } from './query-structure.ts';

/** A list of entities for each query, one list after the other. */
export interface AnswerLists {
  /** [queries + 1]: the list of query i is ids[offsets[i] … offsets[i + 1]). */
  readonly offsets: Int32Array;
  /** Ascending within a list. */
  readonly ids: Int32Array;
}

/**
 * Queries of one structure with their answers, as arrays.
 *
 * Shapes: anchors [count × anchors of the structure], relations [count × relations of the structure], row after row.
 * The structure is one of the 14 unless the type says otherwise.
 */
export interface SampledQueries<Name extends string = StructureName> {
  /** The name of their structure. */
  readonly structure: Name;
  /** Their structure itself, by which own ones are known, too. */
  readonly shape: QueryStructure<Name>;
  readonly count: number;
  readonly anchors: Int32Array;
  readonly relations: Int32Array;
  /** The answers on the smaller graph; for training queries, all answers. */
  readonly easy: AnswerLists;
  /** The answers on the larger graph that are not easy; none for training queries. */
  readonly hard: AnswerLists;
}

/** One query of a batch of queries. */
export interface QueryRow {
  readonly anchors: Int32Array;
  readonly relations: Int32Array;
  readonly easy: Int32Array;
  readonly hard: Int32Array;
}

/** Query `row`, as views of the arrays. Ranges: row in [0, count). */
export function queryRow(queries: SampledQueries<string>, row: number): QueryRow {
  const { anchors, relations } = queries.shape;
  return {
    anchors: queries.anchors.subarray(row * anchors, (row + 1) * anchors),
    relations: queries.relations.subarray(row * relations, (row + 1) * relations),
    easy: answersOf(queries.easy, row),
    hard: answersOf(queries.hard, row),
  };
}

/** The list of query `row`, as a view. */
export function answersOf(lists: AnswerLists, row: number): Int32Array {
  return lists.ids.subarray(lists.offsets[row]!, lists.offsets[row + 1]!);
}

/** Gathers queries one by one. */
export interface QueriesBuilder<Name extends string> {
  readonly count: number;
  add(query: {
    readonly anchors: ArrayLike<number>;
    readonly relations: ArrayLike<number>;
    readonly easy: Iterable<number>;
    readonly hard: Iterable<number>;
  }): void;
  build(): SampledQueries<Name>;
}

/** A builder of queries of one structure. Lists are taken to be ascending. */
export function createQueriesBuilder<Name extends string>(
  structure: QueryStructure<Name> | (Name & StructureName),
): QueriesBuilder<Name> {
  const shape = structureOf(structure);
  const anchors = createIntList();
  const relations = createIntList();
  const easy = { ids: createIntList(), offsets: createIntList() };
  const hard = { ids: createIntList(), offsets: createIntList() };
  easy.offsets.push(0);
  hard.offsets.push(0);
  let count = 0;
  return {
    get count() {
      return count;
    },
    add(query) {
      for (let slot = 0; slot < shape.anchors; slot++) anchors.push(query.anchors[slot]!);
      for (let slot = 0; slot < shape.relations; slot++) relations.push(query.relations[slot]!);
      for (const id of query.easy) easy.ids.push(id);
      for (const id of query.hard) hard.ids.push(id);
      easy.offsets.push(easy.ids.length);
      hard.offsets.push(hard.ids.length);
      count++;
    },
    build: () => ({
      structure: shape.name,
      shape,
      count,
      anchors: anchors.values().slice(),
      relations: relations.values().slice(),
      easy: { offsets: easy.offsets.values().slice(), ids: easy.ids.values().slice() },
      hard: { offsets: hard.offsets.values().slice(), ids: hard.ids.values().slice() },
    }),
  };
}

/** At most `count` queries of a part, evenly spread over it: files may list queries by their anchors. */
export function someQueries<Name extends string>(
  queries: SampledQueries<Name>,
  count: number,
): SampledQueries<Name> {
  if (queries.count <= count) return queries;
  const builder = createQueriesBuilder(queries.shape);
  for (let i = 0; i < count; i += 1) builder.add(queryRow(queries, Math.floor((i * queries.count) / count)));
  return builder.build();
}
