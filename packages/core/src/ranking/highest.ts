/**
 * The places of the k highest values above 0; of equal ones those that come first.
 *
 * Time O(n), where `topK` takes O(n log k) and orders them.
 * Shapes: values [n], of numbers → at most k places, ascending.
 * Source: C. A. R. Hoare, "Algorithm 65: find", 1961.
 */
export function highest(values: Float32Array, k: number): Int32Array {
  const above = new Float32Array(values.length);
  let count = 0;
  for (let at = 0; at < values.length; at += 1) {
    const value = values[at]!;
    if (value > 0) above[count++] = value;
  }
  const least = count <= k ? 0 : kthHighest(above.subarray(0, count), k);
  let higher = 0;
  if (least > 0) for (let i = 0; i < count; i += 1) if (above[i]! > least) higher += 1;
  let asHigh = k - higher;
  const places = new Int32Array(Math.min(count, k));
  let found = 0;
  for (let at = 0; at < values.length && found < places.length; at += 1) {
    const value = values[at]!;
    if (value > least || (value === least && least > 0 && asHigh-- > 0)) places[found++] = at;
  }
  return places;
}

/** The k-th highest of values, which are left in another order. Ranges: k in [1, n]. */
function kthHighest(values: Float32Array, k: number): number {
  const wanted = k - 1;
  let [first, last] = [0, values.length - 1];
  while (first < last) {
    const pivot = values[(first + last) >>> 1]!;
    let [left, right] = [first, last];
    while (left <= right) {
      while (values[left]! > pivot) left += 1;
      while (values[right]! < pivot) right -= 1;
      if (left > right) break;
      const value = values[left]!;
      values[left++] = values[right]!;
      values[right--] = value;
    }
    if (wanted <= right) last = right;
    else if (wanted >= left) first = left;
    else break;
  }
  return values[wanted]!;
}
