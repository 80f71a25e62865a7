/** The largest code of a weight; −128 is left out, so that codes are symmetric. */
const weightCodes = 127;

/** `s = max|x| / 127` as float32, or 1 where there is nothing but zeros. */
export function scaleOf(largest: number): number {
  return largest === 0 ? 1 : Math.fround(largest / weightCodes);
}

/** `round(x / s)` in [−127, 127]. */
export function codeOf(value: number, scale: number): number {
  const code = Math.round(value / scale);
  // float32 may have rounded the scale down.
  return Math.max(-weightCodes, Math.min(weightCodes, code));
}

/** A matrix in whole numbers with a scale for each column. */
export interface ColumnCodes {
  readonly codes: Int8Array;
  readonly scales: Float32Array;
}

/** Quantises the columns of a matrix: `x[i, j] ≈ scales[j] · codes[i, j]`. Shape: [rows, columns]. */
export function quantiseColumns(matrix: Float32Array, columns: number): ColumnCodes {
  const largest = new Float64Array(columns);
  for (let start = 0; start < matrix.length; start += columns)
    for (let j = 0; j < columns; j += 1) {
      const size = Math.abs(matrix[start + j]!);
      if (size > largest[j]!) largest[j] = size;
    }
  const scales = Float32Array.from(largest, scaleOf);
  const codes = new Int8Array(matrix.length);
  for (let start = 0; start < matrix.length; start += columns)
    for (let j = 0; j < columns; j += 1) codes[start + j] = codeOf(matrix[start + j]!, scales[j]!);
  return { codes, scales };
}

/** What rounding takes from the product of a row and a matrix: `x (W − Ŵ)`. Shapes: x [rows] → [columns]. */
export function roundingError(
  matrix: Float32Array,
  { codes, scales }: ColumnCodes,
  x: Float64Array,
): Float64Array {
  const columns = scales.length;
  const lost = new Float64Array(columns);
  for (const [row, factor] of x.entries())
    for (let j = 0; j < columns; j += 1) {
      const at = row * columns + j;
      lost[j]! += factor * (matrix[at]! - scales[j]! * codes[at]!);
    }
  return lost;
}
