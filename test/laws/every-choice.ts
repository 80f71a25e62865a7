/** Every choice of so many of the values, one array an operand. */
export function everyChoice(values: readonly number[], arity: number): number[][] {
  return Array.from({ length: arity }, (_, operand) =>
    Array.from(
      { length: values.length ** arity },
      (_, i) => values[Math.floor(i / values.length ** operand) % values.length]!,
    ),
  );
}
