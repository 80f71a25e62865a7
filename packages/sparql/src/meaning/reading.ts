import type { FuzzError } from '@fuzzqe/core';
import { errorAt } from '@fuzzqe/core/query';
import type { QueryNames } from '../names/query-names.ts';
import { createScope, type Scope } from './scope.ts';

/** What every part of a query is read with. */
export interface Reading {
  readonly text: string;
  readonly names: QueryNames;
  readonly scope: Scope;
  /** The basic graph pattern in which each blank node stands, by its label. */
  readonly blankNodes: Map<string, object>;
  /** The variables that a branch of a UNION gives no value, with the error about the branch. */
  readonly openIn: Map<string, FuzzError>;
  /** An error at a place of the text. */
  fail(at: number, message: string, hint: string): FuzzError;
}

/** A reading of a text. */
export function readingOf(text: string, names: QueryNames): Reading {
  return {
    text,
    names,
    scope: createScope(),
    blankNodes: new Map(),
    openIn: new Map(),
    fail: (at, message, hint) => errorAt(text, at, message, hint),
  };
}

/** How a variable is shown: `?x`, `_:b`. */
export function showVariable(name: string): string {
  return name.startsWith('_:') ? 'a blank node' : `?${name}`;
}

/** The error about a variable that nothing but filters mentions. */
export function filtersAlone(name: string, at: number, { fail }: Pick<Reading, 'fail'>): FuzzError {
  const shown = showVariable(name);
  const hint = `Say what ${shown} is as well: what is not the one is nearly everything.`;
  return fail(at, `${shown}: expected a pattern that gives it values, got filters alone`, hint);
}
