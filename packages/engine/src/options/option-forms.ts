import { describeValue, didYouMean, FuzzError, type FuzzErrorCode } from '@fuzzqe/core';
import { instantOf } from '@fuzzqe/names';

/** What an option may be: in words, and as a test. */
export type OptionForm = readonly [expected: string, fits: (value: unknown) => boolean];

/** One of these. */
export const oneOf = (...choices: readonly unknown[]): OptionForm => [
  choices.join(' or '),
  (value) => choices.includes(value),
];

/** Whether it is a number between these, or one of them. */
export const isWithin = (value: unknown, least: number, most: number): boolean =>
  typeof value === 'number' && value >= least && value <= most;

/** A number that is not smaller, or infinite. */
export const atLeast = (least: number): OptionForm => [
  `a number of at least ${least}`,
  (value) => isWithin(value, least, Number.POSITIVE_INFINITY),
];

/** A whole number between these, or one of them. */
export const integerIn = (least: number, most: number): OptionForm => [
  `an integer in [${least}, ${most}]`,
  (value) => Number.isInteger(value) && isWithin(value, least, most),
];

/** A function. */
export const aFunction: OptionForm = ['a function', (value) => typeof value === 'function'];

/** Whether it is an object, of any kind. */
export const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** An object, of any kind. */
export const anObject: OptionForm = ['an object', isObject];

/** Whether it has a method of this name. */
export const has = (value: unknown, method: string): boolean =>
  isObject(value) && typeof Reflect.get(value, method) === 'function';

/** What ends a call; by what it has, since a runtime may have several classes of that name. */
export const aSignal: OptionForm = [
  'an AbortSignal',
  (value) => isObject(value) && 'aborted' in value && has(value, 'addEventListener'),
];

/** A date, which names its first moment. */
export const aDate: OptionForm = [
  'a date as 2001, 2001-05, 2001-05-31 or 2001-05-31T10:00Z',
  (value) => typeof value === 'string' && instantOf(value) !== undefined,
];

/** A text. */
export const aText: OptionForm = ['a text', (value) => typeof value === 'string'];

/** An array of texts. */
export const texts: OptionForm = [
  'an array of texts',
  (value) => Array.isArray(value) && value.every((item) => typeof item === 'string'),
];

/** True or false. */
export const flag: OptionForm = oneOf(true, false);

/** What has no form of its own, or is looked at elsewhere. */
export const anything: OptionForm = ['anything', () => true];

/**
 * Refuses what is no object of options, and names that are none of these: an option that nobody reads, such as a misspelt limit or
 * key, would be taken for one that holds.
 *
 * @param path where the options stand.
 * @throws FuzzError `usage`.
 */
export function checkNames(options: unknown, names: readonly string[], path = '$'): void {
  if (!isObject(options))
    throw new FuzzError('usage', `options: expected an object, got ${describeValue(options)}`, {
      path: `${path}.options`,
      hint: 'Leave it out for the default.',
    });
  for (const name in options)
    if (!names.includes(name) && Reflect.get(options, name) !== undefined)
      throw new FuzzError('usage', `${name}: expected no such key`, {
        path: `${path}.${name}`,
        hint: didYouMean(name, names, `known keys: ${names.join(', ')}`),
      });
}

/**
 * Refuses what is no object of options, names that have no form, and what has not its form.
 *
 * @param path where the options stand.
 * @throws FuzzError `usage`.
 */
export function checkOptions(
  options: unknown,
  forms: Readonly<Record<string, OptionForm>>,
  path = '$',
): asserts options is object {
  checkNames(options, Object.keys(forms), path);
  checkForms(options as object, forms, 'usage', path); // as was seen
}

/**
 * Refuses options that have not their form, of callers without types; what is undefined was left out.
 *
 * @param path where the options stand.
 * @throws FuzzError with the given code.
 */
export function checkForms(
  options: object,
  forms: Readonly<Record<string, OptionForm>>,
  code: FuzzErrorCode = 'usage',
  path = '$',
  hint = 'Leave it out for the default.',
): void {
  // Each answer comes by here: nothing is made for it.
  for (const name in forms) {
    const value: unknown = Reflect.get(options, name);
    if (value === undefined) continue;
    const [expected, fits] = forms[name]!;
    if (!fits(value))
      throw new FuzzError(code, `${name}: expected ${expected}, got ${describeValue(value)}`, {
        path: `${path}.${name}`,
        hint,
      });
  }
}
