import {
  checkQuery,
  didYouMean,
  FuzzError,
  matchStructure,
  type Query,
  type QueryBounds,
  queryFromBetaE,
  type StructureMatch,
  type StructureName,
  structureNames,
} from '@fuzzqe/core';

/** One line of a file of queries. */
export interface QueryLine {
  readonly structure: StructureName;
  readonly anchors: readonly number[];
  readonly relations: readonly number[];
  /** Ascending; undefined when the line does not say. */
  readonly easy: Int32Array | undefined;
  /** Ascending. */
  readonly hard: Int32Array;
}

/** The names of the published data sets for structures that they answer by way of disjunctive normal form. */
const otherNames: Readonly<Record<string, StructureName>> = { '2u-DNF': '2u', 'up-DNF': 'up' };

/**
 * Reads one line of JSON: `{"type": structure, "query": nested tuple, "easy"?: [ids], "hard"?: [ids]}`.
 *
 * @throws FuzzError `data` with the given path: anything else; an id out of range; an answer twice in one list.
 */
export function parseQueryLine(text: string, path: string, bounds: QueryBounds): QueryLine {
  const fields = readObject(text, path);
  const structure = readStructure(fields['type'], path);
  const match = readQuery(fields['query'], structure, path, bounds);
  return {
    structure,
    anchors: match.anchors,
    relations: match.relations,
    easy: fields['easy'] === undefined ? undefined : readAnswers('easy', fields['easy'], path, bounds),
    hard: readAnswers('hard', fields['hard'] ?? [], path, bounds),
  };
}

function readObject(text: string, path: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw bad(
      `JSON: ${cause instanceof Error ? cause.message : String(cause)}`,
      path,
      'Each line is one JSON object.',
    );
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  throw bad('line: expected a JSON object', path, 'A line is {"type": …, "query": …, "easy": …, "hard": …}.');
}

function readStructure(value: unknown, path: string): StructureName {
  const found = structureNames.find((name) => name === value) ?? otherNames[String(value)];
  if (found !== undefined) return found;
  const known = `The structures are ${structureNames.join(', ')}.`;
  throw bad(
    `type: expected a query structure, got ${JSON.stringify(value)}`,
    path,
    didYouMean(String(value), structureNames, known),
  );
}

function readQuery(
  value: unknown,
  structure: StructureName,
  path: string,
  bounds: QueryBounds,
): StructureMatch {
  let query: Query;
  try {
    query = queryFromBetaE(value);
    checkQuery(query, bounds);
  } catch (cause) {
    if (!(cause instanceof FuzzError)) throw cause;
    throw new FuzzError('data', `query: ${cause.path ?? '$'}: ${cause.message}`, {
      path,
      cause,
      ...(cause.hint === undefined ? {} : { hint: cause.hint }),
    });
  }
  const match = matchStructure(query);
  if (match?.structure.name === structure) return match;
  const got = match === undefined ? 'of none of the 14 structures' : `of structure ${match.structure.name}`;
  throw bad(
    `query: expected one of structure ${structure}, got one ${got}`,
    path,
    'Correct "type" or "query".',
  );
}

function readAnswers(name: string, value: unknown, path: string, { entityCount }: QueryBounds): Int32Array {
  if (!Array.isArray(value)) throw bad(`${name}: expected an array of entity ids`, path, 'Such as [3, 17].');
  const items: readonly unknown[] = value;
  const ids = items.map((item) => {
    if (typeof item === 'number' && Number.isInteger(item) && item >= 0 && item < entityCount) return item;
    throw bad(
      `${name}: expected ids in [0, ${entityCount}), got ${JSON.stringify(item)}`,
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
