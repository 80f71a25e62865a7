import { FuzzError } from '../errors.ts';

/** The best entities with their scores, best first. */
export interface TopK {
  /** [k] */
  readonly ids: Int32Array;
  /** [k] */
  readonly scores: Float64Array;
}

/**
 * The k highest scores; of equal scores the lower id comes first, as in ONNX TopK.
 *
 * Shapes: scores [n]; time O(n log k).
 * Ranges: k in [1, n].
 *
 * @throws FuzzError `range`: k outside its range, or a score that is not a number.
 */
export function topK(scores: Float32Array | Float64Array, k: number): TopK {
  if (!Number.isInteger(k) || k < 1 || k > scores.length) {
    throw new FuzzError('range', `k: expected an integer in [1, ${scores.length}], got ${k}`, {
      path: 'k',
      hint: 'Ask for at least one answer and at most as many as there are entities.',
    });
  }
  // A heap of the k best so far with the worst of them at its root.
  const heap = new Int32Array(k);
  const worse = (a: number, b: number): boolean => {
    const [x, y] = [scores[a]!, scores[b]!];
    return x < y || (x === y && a > b);
  };
  const sink = (from: number, size: number): void => {
    const id = heap[from]!;
    let at = from;
    for (let child = 2 * at + 1; child < size; child = 2 * at + 1) {
      if (child + 1 < size && worse(heap[child + 1]!, heap[child]!)) child++;
      if (!worse(heap[child]!, id)) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = id;
  };

  const expectNumber = (id: number): void => {
    if (!Number.isNaN(scores[id]!)) return;
    throw new FuzzError('range', `score of entity ${id}: expected a number, got NaN`, {
      path: `scores[${id}]`,
      hint: 'A NaN in the scores usually means damaged weights, or training that diverged.',
    });
  };
  for (let id = 0; id < k; id++) {
    expectNumber(id);
    heap[id] = id;
  }
  for (let at = (k >>> 1) - 1; at >= 0; at--) sink(at, k);
  let floor = scores[heap[0]!]!;
  for (let id = k; id < scores.length; id++) {
    // Of equal ones the one in the heap has the lower id. NaN is below nothing.
    if (scores[id]! <= floor) continue;
    expectNumber(id);
    heap[0] = id;
    sink(0, k);
    floor = scores[heap[0]!]!;
  }
  // Taking the worst off to the end, again and again, leaves the best in front.
  for (let size = k - 1; size > 0; size--) {
    const worst = heap[0]!;
    heap[0] = heap[size]!;
    sink(0, size);
    heap[size] = worst;
  }
  return { ids: heap, scores: Float64Array.from(heap, (id) => scores[id]!) };
}
