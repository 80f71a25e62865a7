import { FuzzError } from '@fuzzqe/core';
import type { TensorValue, TensorValues } from './session.ts';

/** One output of a run. Throws: 'runtime' where it is not there. */
export function outputOf(outputs: TensorValues, name: string): TensorValue {
  const value = outputs[name];
  if (value !== undefined) return value;
  throw new FuzzError(
    'runtime',
    `graph output: expected "${name}", got ${Object.keys(outputs).join(', ') || 'none'}`,
  );
}

/** Whole numbers in a row. Shape: [n]. */
export function vector(values: readonly number[]): TensorValue {
  return { dims: [values.length], data: Int32Array.from(values) };
}

/** Whole numbers, row by row. Shape: [n, m]. */
export function matrix(rows: readonly (readonly number[])[]): TensorValue {
  return { dims: [rows.length, rows[0]?.length ?? 0], data: Int32Array.from(rows.flat()) };
}
