import { FuzzError, inverseOf, type RelationId } from '@fuzzqe/core';
import { project, type Query, type Repeat } from '@fuzzqe/core/query';
import type { TermIri, TermVariable, Path as WrittenPath } from '@traqula/rules-sparql-1-1';
import { placeOf } from '../syntax/parsed-text.ts';
import type { Reading } from './reading.ts';

/** How a path leads from one end to the other: by relations one after the other, or by any of some paths. */
export type Path = readonly PathStep[];

/** A relation, paths of which any may be taken, or a relation that is followed several times. */
export type PathStep =
  | RelationId
  | { readonly either: readonly Path[] }
  | { readonly relation: RelationId; readonly repeat: Repeat };

/**
 * Reads a predicate or path: `/`, `^`, `|`, and `*`, `+` and `?` of a relation.
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
      return [relationOf(path, reading)];
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
            return branch.length === 1 && typeof only === 'object' && 'either' in only
              ? only.either
              : [branch];
          }),
        },
      ];
    case '*':
    case '+':
    case '?': {
      const [step, ...others] = readPath(path.items[0], reading);
      if (typeof step === 'number' && others.length === 0) return [{ relation: step, repeat: path.subType }];
      const hint = 'Write it after a single relation, as relation:r+ or (^relation:r)+.';
      throw reading.fail(
        placeOf(path),
        `path: expected "${path.subType}" after one relation, got a path of several`,
        hint,
      );
    }
    default: {
      const hint = 'Name the relations that may be followed, with "|" between them.';
      throw reading.fail(placeOf(path), `path: expected no "${path.subType}"`, hint);
    }
  }
}

/** A relation by its IRI; an attribute is no relation. */
function relationOf(path: TermIri, { names }: Reading): RelationId {
  try {
    return names.relation(path);
  } catch (error) {
    if (!(error instanceof FuzzError) || error.code !== 'vocabulary') throw error;
    const { code, message, path: place, hint = '' } = error;
    throw new FuzzError(code, message, {
      ...(place === undefined ? {} : { path: place }),
      hint: `${hint}\nLabels and attributes have no degrees: leave ?degree out to ask for them.`,
      cause: error,
    });
  }
}

/** The path that leads back. */
export function inversePath(path: Path): Path {
  return path
    .map((step): PathStep => {
      if (typeof step === 'number') return inverseOf(step);
      return 'either' in step
        ? { either: step.either.map(inversePath) }
        : { relation: inverseOf(step.relation), repeat: step.repeat };
    })
    .reverse();
}

/**
 * What a path leads to from the answers of a query; what a choice begins from stands in each of its operands.
 *
 * @returns undefined where the path follows a relation several times, which no tree can say.
 */
export function follow(start: Query, path: Path): Query | undefined {
  return path.reduce<Query | undefined>((from, step) => {
    if (from === undefined) return undefined;
    if (typeof step === 'number') return project(step, from);
    if (!('either' in step)) return undefined;
    const operands = step.either.flatMap((branch) => follow(from, branch) ?? []);
    return operands.length === step.either.length ? { op: 'or', operands } : undefined;
  }, start);
}
