import { FuzzError } from '@fuzzqe/core';
import { type ComparedValue, formatValueTest, kindOfValue, type ValueTest } from '@fuzzqe/core/query';
import { foldName } from '@fuzzqe/core/text';
import type { AttributeType } from '../rows/attributes.ts';
import { type Literal, type Span, spanOf, yearText } from './literal-span.ts';

/**
 * How a test compares values of a type; undefined where it does not compare them.
 *
 * A date is compared as all its seconds: `= 1980` is fulfilled by every day of 1980, `> 1980` by what begins after it.
 * Texts are equal letter by letter; for `contains` case and accents make no difference.
 *
 * @throws FuzzError `query`: a day that there is not, a range whose first value is the higher one.
 */
export function passesTest(test: ValueTest, type: AttributeType): ((value: Literal) => boolean) | undefined {
  const { is, values } = test;
  if (type === 'text') return passesText(test);
  const texts = values.map((value) => textOfType(value, type));
  if (is === 'contains' || texts.some((text) => text === undefined)) return undefined;
  const spans = texts.map((text) => spanOf(type, text!));
  const bad = spans.indexOf(undefined);
  if (bad >= 0)
    throw problem(test, 'a date that there is', texts[bad]!, 'A date is 1980, 1980-05 or 1980-05-31.');
  const [first, last = first] = spans as [Span, Span?];
  if (first.from > last!.to)
    throw problem(test, 'the lower value first', texts.join('..'), 'Swap the values.');
  const passes = comparison(is, { from: first.from, to: last!.to });
  return (value) => typeof value !== 'string' && passes(value);
}

function passesText({ is, values: [value] }: ValueTest): ((value: Literal) => boolean) | undefined {
  if (typeof value !== 'string' || !(is === '=' || is === '!=' || is === 'contains')) return undefined;
  const wanted = foldName(value);
  return (given) =>
    typeof given === 'string' &&
    (is === 'contains' ? foldName(given).includes(wanted) : (given === value) === (is === '='));
}

/** A compared value as the data would write it in a column of a type. */
function textOfType(value: ComparedValue, type: AttributeType): string | undefined {
  const kind = kindOfValue(value);
  if (kind === type) return String(value);
  return type === 'date' && typeof value === 'number' ? yearText(value) : undefined;
}

function comparison(is: ValueTest['is'], { from, to }: Span): (value: Span) => boolean {
  switch (is) {
    case '<':
      return (value) => value.to < from;
    case '<=':
      return (value) => value.to <= to;
    case '>':
      return (value) => value.from > to;
    case '>=':
      return (value) => value.from >= from;
    case '!=':
      return (value) => value.to < from || value.from > to;
    default:
      return (value) => value.from >= from && value.to <= to;
  }
}

/** What is wrong with a test, at its place. */
export function problem(test: ValueTest, expected: string, got: string, hint: string): FuzzError {
  return new FuzzError('query', `where(${formatValueTest(test)}): expected ${expected}, got ${got}`, {
    path: test.place ?? '$',
    hint,
  });
}
