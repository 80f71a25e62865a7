import { inverseOf, type RelationId } from '@fuzzqe/core';
import { project, type Query } from '@fuzzqe/core/query';
import type { TermVariable, Path as WrittenPath } from '@traqula/rules-sparql-1-1';
import { placeOf } from '../syntax/parsed-text.ts';
import type { Reading } from './reading.ts';

/** How a path leads from one end to the other: by relations one after the other, or by any of some paths. */
export type Path = readonly PathStep[];

/** A relation, or paths of which any may be taken. */
export type PathStep = RelationId | { readonly either: readonly Path[] };

/**
 * Reads a predicate or path: `/`, `^` and `|`.
 *
 * @throws FuzzError `query`: a variable, or another kind of path. `vocabulary`: a relation that the graph does not have.
 */
export function readPath(path: WrittenPath | TermVariable, reading: Reading): Path {
  if (path.subType === 'variable') {
    const hint = 'Which relations there are: GET /v1/relations.';
    throw reading.fail(placeOf(path), 'predicate: expected a relation, got a variable', hint);
  }
  switch (path.subType) {
    case 'namedNode':
      return [reading.names.relation(path)];
    case '/':
      return path.items.flatMap((item) => readPath(item, reading));
    case '^':
      return inversePath(readPath(path.items[0], reading));
    case '|':
      // `a|b|c` is one choice among three, whatever its brackets.
      return [
        {
          either: path.items.flatMap((item) => {
            const branch = readPath(item, reading);
            const [only] = branch;
            return branch.length === 1 && typeof only === 'object' ? only.either : [branch];
          }),
        },
      ];
    default: {
      const hint =
        path.subType === '!'
          ? 'Name the relations that may be followed, with "|" between them.'
          : 'How often a relation is followed has to be written out, as relation:r/relation:r.';
      throw reading.fail(placeOf(path), `path: expected "/", "^" or "|", got "${path.subType}"`, hint);
    }
  }
}

/** The path that leads back. */
export function inversePath(path: Path): Path {
  return path
    .map(
      (step): PathStep =>
        typeof step === 'object' ? { either: step.either.map(inversePath) } : inverseOf(step),
    )
    .reverse();
}

/** What a path leads to from the answers of a query; what a choice begins from stands in each of its operands. */
export function follow(start: Query, path: Path): Query {
  return path.reduce<Query>((from, step) => {
    if (typeof step !== 'object') return project(step, from);
    // A choice has two paths or more.
    const [first, second, ...rest] = step.either.map((branch) => follow(from, branch));
    return { op: 'or', operands: [first!, second!, ...rest] };
  }, start);
}
