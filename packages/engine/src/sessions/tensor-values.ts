import { FuzzError } from '@fuzzqe/core';
import type { TensorValue, TensorValues } from './session.ts';

/**
 * One output of a run.
 *
 * @throws FuzzError `runtime`: it is not there.
 */
export function outputOf(outputs: TensorValues, name: string): TensorValue {
  const value = outputs[name];
  if (value !== undefined) return value;
  throw new FuzzError(
    'runtime',
    `graph output: expected "${name}", got ${Object.keys(outputs).join(', ') || 'none'}`,
  );
}

/**
 * The rows of an output of floats.
 * Shapes: [rows, width] → [width] each, as views.
 *
 * @throws FuzzError `runtime`: it is of another kind, or of another shape.
 */
export function rowsOf(outputs: TensorValues, name: string, rows: number, columns?: number): Float32Array[] {
  const { dims, data } = outputOf(outputs, name);
  const width = data.length / rows;
  if (!(data instanceof Float32Array) || !Number.isInteger(width) || width !== (columns ?? width))
    throw misshapen(name, [rows, columns ?? 'd'], dims);
  // A loop, since `Array.from` with a function takes twice as long.
  const found: Float32Array[] = new Array(rows);
  for (let row = 0; row < rows; row += 1) found[row] = data.subarray(row * width, (row + 1) * width);
  return found;
}

/** What a graph gives that is not of this bundle. */
export function misshapen(
  name: string,
  expected: readonly (number | string)[],
  got: readonly number[],
): FuzzError {
  return new FuzzError('runtime', `${name}: expected [${expected.join(', ')}], got [${got}]`, {
    hint: 'The graphs do not belong to this bundle; export it again.',
  });
}

/** Whole numbers in a row. Shape: [n]. */
export function vector(values: readonly number[]): TensorValue {
  return { dims: [values.length], data: Int32Array.from(values) };
}

/** Whole numbers, row by row. Shape: [n, m]. */
export function matrix(rows: readonly (readonly number[])[]): TensorValue {
  return { dims: [rows.length, rows[0]?.length ?? 0], data: Int32Array.from(rows.flat()) };
}

/** Vectors of one length as rows; none is empty. Shape: [n, d]. */
export function stack(vectors: readonly Float32Array[]): TensorValue {
  const width = vectors[0]!.length;
  const data = new Float32Array(vectors.length * width);
  vectors.forEach((each, row) => {
    data.set(each, row * width);
  });
  return { dims: [vectors.length, width], data };
}

/** Parts of at most `size`. */
export function* chunksOf<T>(all: readonly T[], size: number): Generator<readonly T[]> {
  for (let from = 0; from < all.length; from += size) yield all.slice(from, from + size);
}
