import { describeValue, FuzzError, type FuzzErrorCode } from '@fuzzqe/core';

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
