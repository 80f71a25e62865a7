import { schema } from '@fuzzqe/core';
import { instantOf } from './instant.ts';
import type { StatedProvenance } from './provenance.ts';

/** When a fact holds, as texts. */
type StatedValidity = { readonly [Name in 'from' | 'until']?: StatedProvenance[Name] | undefined };

/** A date, as text. */
export const dateText: schema.Schema<string> = schema.checked({ ...schema.string }, (text, report) => {
  if (instantOf(text) === undefined)
    report([], 'a date as 2001, 2001-05, 2001-05-31 or 2001-05-31T10:00Z', JSON.stringify(text));
});

/** The fields that say when a fact holds, as schemas. */
export const validityFields: {
  readonly from: schema.OptionalSchema<string>;
  readonly until: schema.OptionalSchema<string>;
} = { from: schema.optional(dateText), until: schema.optional(dateText) };

/** Refuses an end before its beginning. */
export function withValidity<T extends StatedValidity>(object: schema.Schema<T>): schema.Schema<T> {
  return schema.checked(object, ({ from, until }, report) => {
    if (!isValidity(from, until))
      report(['until'], `a date that is not before ${from}`, JSON.stringify(until));
  });
}

/** Whether two values are the beginning and the end of a validity, or are left out: as the schemas ask, but faster. */
export function isValidity(from: unknown, until: unknown): boolean {
  const isGiven = (value: unknown): value is string | undefined =>
    value === undefined || typeof value === 'string';
  if (!isGiven(from) || !isGiven(until)) return false;
  const [begin, end] = momentsOf({ from, until });
  return begin <= end;
}

/**
 * The first moment at which a fact holds, and the first at which it no longer holds, in seconds since 1970.
 *
 * Without a text −∞ and ∞; NaN if a text is no date.
 */
export function momentsOf({ from, until }: StatedValidity): readonly [begin: number, end: number] {
  return [
    from === undefined ? Number.NEGATIVE_INFINITY : (instantOf(from) ?? Number.NaN),
    until === undefined ? Number.POSITIVE_INFINITY : (instantOf(until) ?? Number.NaN),
  ];
}
