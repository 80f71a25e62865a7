/**
 * Solves `A x = b` for a symmetric, positive definite A, by its Cholesky decomposition.
 *
 * Shapes: A [n × n], b [n × m] → x [n × m], rows one after the other. A is left as it is.
 */
export function solveCholesky(a: Float64Array, b: Float64Array, n: number): Float64Array {
  const l = a.slice();
  for (let j = 0; j < n; j += 1) {
    for (let k = 0; k < j; k += 1)
      for (let i = j; i < n; i += 1) l[i * n + j]! -= l[i * n + k]! * l[j * n + k]!;
    // Rounding can take a pivot of a nearly singular matrix below 0.
    const pivot = Math.sqrt(Math.max(l[j * n + j]!, 1e-12));
    for (let i = j; i < n; i += 1) l[i * n + j]! /= pivot;
    l[j * n + j] = pivot;
  }
  const x = b.slice();
  const m = b.length / n;
  for (let c = 0; c < m; c += 1) {
    for (let i = 0; i < n; i += 1) {
      for (let k = 0; k < i; k += 1) x[i * m + c]! -= l[i * n + k]! * x[k * m + c]!;
      x[i * m + c]! /= l[i * n + i]!;
    }
    for (let i = n - 1; i >= 0; i -= 1) {
      for (let k = i + 1; k < n; k += 1) x[i * m + c]! -= l[k * n + i]! * x[k * m + c]!;
      x[i * m + c]! /= l[i * n + i]!;
    }
  }
  return x;
}
