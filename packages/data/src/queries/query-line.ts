import { describeValue, didYouMean, FuzzError, messageOf } from '@fuzzqe/core';
import {
  checkQuery,
  matchStructure,
  type Query,
  type QueryBounds,
  queryFromBetaE,
  type StructureName,
  structureNames,
  templateOf,
} from '@fuzzqe/core/query';
import { isPublished, type QueryStructure, structureOf } from './query-structure.ts';
import { formatTemplate, parseStructure } from './structure-text.ts';

/** One line of a file of queries. */
export interface QueryLine {
  readonly structure: QueryStructure;
  readonly anchors: readonly number[];
  readonly relations: readonly number[];
  /** Ascending; undefined when the line does not say. */
  readonly easy: Int32Array | undefined;
  /** Ascending. */
  readonly hard: Int32Array;
}

/** The names of the published data sets for structures that they answer by way of disjunctive normal form. */
const otherNames: ReadonlyMap<unknown, StructureName> = new Map([
  ['2u-DNF', '2u'],
  ['up-DNF', 'up'],
]);

/** The structures that a file has named so far, by what stands as `type`. */
export type KnownStructures = Map<unknown, QueryStructure>;

/**
 * Reads one line of JSON: `{"type": structure, "query": nested tuple, "easy"?: [ids], "hard"?: [ids]}`.
 *
 * The type is the name of one of the 14 structures or the text of another; `known` saves reading it again.
 *
 * @throws FuzzError `data` with the given path: anything else; an id out of range; an answer twice in one list.
 */
export function parseQueryLine(
  text: string,
  path: string,
  bounds: QueryBounds,
  known: KnownStructures,
): QueryLine {
  const fields = readObject(text, path);
  const structure = readStructure(fields['type'], path, known);
  const slots = readQuery(fields['query'], structure, path, bounds);
  return {
    structure,
    anchors: slots.anchors,
    relations: slots.relations,
    easy: fields['easy'] === undefined ? undefined : readAnswers('easy', fields['easy'], path, bounds),
    hard: readAnswers('hard', fields['hard'] ?? [], path, bounds),
  };
}

export function readObject(text: string, path: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw bad(`JSON: ${messageOf(cause)}`, path, 'Each line is one JSON object.');
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  throw bad('line: expected a JSON object', path, 'A line is {"type": …, "query": …, "easy": …, "hard": …}.');
}

function readStructure(value: unknown, path: string, known: KnownStructures): QueryStructure {
  const read = known.get(value);
  if (read !== undefined) return read;
  const structure = parseType(value, path);
  const namesake = [...known.values()].find(({ name }) => name === structure.name);
  if (namesake !== undefined && formatTemplate(namesake.template) !== formatTemplate(structure.template)) {
    const shapes = `${formatTemplate(namesake.template)} and ${formatTemplate(structure.template)}`;
    throw bad(`type: expected one shape for ${structure.name}, got ${shapes}`, path, 'Rename one of them.');
  }
  known.set(value, structure);
  return structure;
}

function parseType(value: unknown, path: string): QueryStructure {
  const name = structureNames.find((each) => each === value) ?? otherNames.get(value);
  if (name !== undefined) return structureOf<string>(name);
  if (typeof value === 'string' && value.includes('('))
    return located('type', path, () => parseStructure(value));
  const all = `The structures are ${structureNames.join(', ')}; another one is written as its text.`;
  throw bad(
    `type: expected a query structure, got ${describeValue(value)}`,
    path,
    typeof value === 'string' ? didYouMean(value, structureNames, all) : all,
  );
}

/** What stands in the slots of a query of the structure that its line names. */
function readQuery(
  value: unknown,
  structure: QueryStructure,
  path: string,
  bounds: QueryBounds,
): { readonly anchors: readonly number[]; readonly relations: readonly number[] } {
  const query = located('query', path, () => {
    const read: Query = queryFromBetaE(value);
    checkQuery(read, bounds);
    return read;
  });
  const published = isPublished(structure.name);
  const match = published ? matchStructure(query) : undefined;
  if (match !== undefined && match.structure.name === structure.name) return match;
  const filled = templateOf(query);
  const shape = formatTemplate(filled.template);
  if (!published && shape === formatTemplate(structure.template)) return filled;
  const none = published ? 'of none of the 14 structures' : shape;
  const got = match === undefined ? none : `of structure ${match.structure.name}`;
  throw bad(
    `query: expected one of structure ${structure.name}, got one ${got}`,
    path,
    'Correct "type" or "query".',
  );
}

/** Runs a reader that knows nothing of the file, and says where in the file it failed. */
export function located<T>(field: string, path: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (!(cause instanceof FuzzError)) throw cause;
    throw new FuzzError('data', `${field}: ${cause.path ?? '$'}: ${cause.message}`, {
      path,
      cause,
      ...(cause.hint === undefined ? {} : { hint: cause.hint }),
    });
  }
}

/** Refuses answers that are both easy and hard. */
export function expectNotEasy(easy: Iterable<number>, hard: Int32Array, path: string): void {
  const listed = new Set(easy);
  const both = hard.find((entity) => listed.has(entity));
  if (both === undefined) return;
  throw bad(
    `hard: expected answers that are not easy, got entity ${both} in both`,
    path,
    'A hard answer is one that the smaller graph does not give.',
  );
}

export function readAnswers(
  name: string,
  value: unknown,
  path: string,
  { entityCount }: QueryBounds,
): Int32Array {
  if (!Array.isArray(value)) throw bad(`${name}: expected an array of entity ids`, path, 'Such as [3, 17].');
  const items: readonly unknown[] = value;
  const ids = items.map((item) => {
    if (typeof item === 'number' && Number.isInteger(item) && item >= 0 && item < entityCount) return item;
    throw bad(
      `${name}: expected ids in [0, ${entityCount}), got ${describeValue(item)}`,
      path,
      'Is the file of another data set?',
    );
  });
  const sorted = Int32Array.from(ids).sort();
  const twice = sorted.find((id, i) => id === sorted[i - 1]);
  if (twice !== undefined)
    throw bad(`${name}: expected each answer once, got ${twice} twice`, path, 'Take one out.');
  return sorted;
}

function bad(message: string, path: string, hint: string): FuzzError {
  return new FuzzError('data', message, { path, hint });
}
