import fc, { type Arbitrary } from 'fast-check';

/** A number that a request may have, and what is nearly a number. */
export const number: Arbitrary<unknown> = fc.constantFrom<unknown>(
  1,
  3,
  40,
  41,
  0,
  -1,
  1e9,
  2 ** 53,
  0.5,
  1,
  '1',
  null,
  true,
);
/** A value in one of three, and undefined otherwise. */
export const maybe = <T>(value: Arbitrary<T>): Arbitrary<T | undefined> =>
  fc.oneof({ weight: 2, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value });
