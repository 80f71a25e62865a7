import fc from 'fast-check';

/**
 * Three vectors of 16 truth values.
 *
 * Multiples of 2⁻²⁰, which fast-check draws near 0 and 1 more often than elsewhere: a product of three never
 * underflows, where a law of real numbers would stop being one of floating-point numbers.
 */
export const randomOperands: fc.Arbitrary<[number[], number[], number[]]> = ((): fc.Arbitrary<
  [number[], number[], number[]]
> => {
  const value = fc.nat(2 ** 20).map((n) => n / 2 ** 20);
  const vector = fc.array(value, { minLength: 16, maxLength: 16 });
  return fc.tuple(vector, vector, vector);
})();
