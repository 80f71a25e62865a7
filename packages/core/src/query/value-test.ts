import { FuzzError } from '../errors.ts';
import { describeValue } from '../input/describe-value.ts';
import { didYouMean } from '../text/nearest.ts';
import { quoteName, writeName } from './name-text.ts';

/** How a literal is compared; `in` is from one value to another, both included. */
export const valueOperators = ['=', '!=', '<', '<=', '>', '>=', 'in', 'contains'] as const;
export type ValueOperator = (typeof valueOperators)[number];

/** What a literal is compared with: a number, true or false, a date such as `1980-05-31`, or another text. */
export type ComparedValue = number | boolean | string;

/** What one recorded literal of an entity has to fulfil. */
export interface ValueTest {
  readonly op: 'where';
  /** The key or label of a property whose values are literals. */
  readonly property: string;
  readonly is: ValueOperator;
  /** One value; of `in` the first and the last. */
  readonly values: readonly ComparedValue[];
  /** Where the test was written, for errors. */
  readonly place?: string | undefined;
}

/** A month, a day or a time; a year is a number. */
const date = /^-?\d{4,6}-\d{2}(?:-\d{2}(?:T[\d:.]+)?)?(?:Z|[+-]\d{2}:?\d{2})?$/;
const number = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

/** What a value is; a whole number may be a year as well. */
export type ValueKind = 'number' | 'boolean' | 'date' | 'text';

/** The kind of a value. */
export function kindOfValue(value: ComparedValue): ValueKind {
  if (typeof value === 'string') return date.test(value) ? 'date' : 'text';
  return typeof value === 'number' ? 'number' : 'boolean';
}

/** The value of a word without quotes; undefined for a word that needs quotes. */
export function valueOfWord(word: string): ComparedValue | undefined {
  if (word === 'true' || word === 'false') return word === 'true';
  if (date.test(word)) return word;
  return number.test(word) ? Number(word) : undefined;
}

/**
 * Checks a test whose parts no types have seen.
 *
 * @throws FuzzError `query`: an empty property, an unknown operator, another number of values, values that the operator does not compare.
 */
export function checkValueTest(
  { property, is, values }: { readonly [Key in 'property' | 'is' | 'values']: unknown },
  path: string,
): Pick<ValueTest, 'op' | 'property' | 'is' | 'values'> {
  const fail = (expected: string, got: unknown, hint: string): never => {
    throw new FuzzError('query', `where: expected ${expected}, got ${describeValue(got)}`, { path, hint });
  };
  if (typeof property !== 'string' || property === '')
    return fail(
      'the name of a property',
      property,
      'Name a property whose values are numbers, dates or texts.',
    );
  const operator = valueOperators.find((each) => each === is);
  if (operator === undefined)
    return fail(
      'an operator',
      is,
      didYouMean(String(is), valueOperators, `It is one of ${valueOperators.join(' ')}.`),
    );
  const given: readonly unknown[] = Array.isArray(values) ? values : [values];
  const wanted = operator === 'in' ? 2 : 1;
  if (given.length !== wanted)
    return fail(
      wanted === 2 ? 'the first and the last value' : 'one value',
      values,
      'A range is from one value to another.',
    );
  const checked = given.map((value): ComparedValue => {
    const isNumber = typeof value === 'number' && Number.isFinite(value);
    if (isNumber || typeof value === 'boolean' || typeof value === 'string') return value;
    return fail('a number, a date, true, false or a text', value, 'A date is a text: "1980-05-31".');
  });
  const kinds = checked.map(kindOfValue);
  if (operator === 'contains') {
    const [text] = checked;
    if (typeof text !== 'string' || text === '')
      fail('a text that the value contains', text, 'Put the text between double quotes.');
  } else if (operator !== '=' && operator !== '!=') {
    const other = kinds.findIndex((kind) => kind === 'boolean' || kind === 'text');
    if (other >= 0)
      fail(
        `a number or a date to compare by ${operator}`,
        checked[other],
        'Texts and booleans are compared by = and !=.',
      );
  }
  return { op: 'where', property, is: operator, values: checked };
}

/** A test in the notation, without its variable: `height > 200`. */
export function formatValueTest({ property, is, values }: ValueTest): string {
  const texts = values.map((value) =>
    kindOfValue(value) === 'text' ? quoteName(String(value)) : String(value),
  );
  return `${writeName(property)} ${is} ${texts.join('..')}`;
}
