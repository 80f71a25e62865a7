import type { EntityId, FuzzError } from '@fuzzqe/core';
import { errorAt, type Query } from '@fuzzqe/core/query';
import type { QueryNames } from '../names/query-names.ts';
import type { Path } from './read-path.ts';

/** What a triple pattern has at either end: a variable by its name, `_:` before that of a blank node, or an entity. */
export type End = { readonly variable: string } | { readonly entity: EntityId };

/** A triple pattern: what `steps` lead to from `from` is `to`. */
export interface Link {
  readonly kind: 'link';
  readonly from: End;
  readonly to: End;
  readonly steps: Path;
  /** Where it stands in the text. */
  readonly at: number;
}

/** Any other part of a group, as what it says of one variable. */
export interface Constraint {
  readonly kind: 'constraint';
  /** The variables in it. */
  readonly mentions: ReadonlySet<string>;
  /** Those of them that it gives values to; none for a filter. */
  readonly binds: ReadonlySet<string>;
  /** Whether it removes what comes before it, and nothing else. */
  readonly removes: boolean;
  readonly at: number;
  /** What it says of a variable; `bounded`: whether another part of the text gives that its values. */
  query(variable: string, bounded: boolean): Query;
}

/** A part of a group. */
export type Element = Link | Constraint;

/** What every part of a query is read with. */
export interface Reading {
  readonly text: string;
  readonly names: QueryNames;
  /** The basic graph pattern in which each blank node stands, by its label. */
  readonly blankNodes: Map<string, object>;
  /** An error at a place of the text. */
  fail(at: number, message: string, hint: string): FuzzError;
}

/** A reading of a text. */
export function readingOf(text: string, names: QueryNames): Reading {
  return {
    text,
    names,
    blankNodes: new Map(),
    fail: (at, message, hint) => errorAt(text, at, message, hint),
  };
}

/** How a variable is shown: `?x`, `_:b`. */
export function showVariable(name: string): string {
  return name.startsWith('_:') ? 'a blank node' : `?${name}`;
}

/** The variables that an element gives values to. */
export function boundBy(element: Element): Iterable<string> {
  if (element.kind === 'constraint') return element.binds;
  return [element.from, element.to].flatMap((end) => ('variable' in end ? [end.variable] : []));
}

/** The variables of an element. */
export function mentionedBy(element: Element): Iterable<string> {
  return element.kind === 'constraint' ? element.mentions : boundBy(element);
}
