import type { BackendWasm } from '@tensorflow/tfjs-backend-wasm';
import * as tf from '@tensorflow/tfjs-core';

/**
 * Rows of a table, copied in the memory of the wasm backend; its own kernel goes through every element by its index.
 *
 * An index outside the table gives a row of zeros, which is what `regroup` means by its gaps.
 * Shapes: table [rows, ...rest], indices [...n] → [...n, ...rest].
 */
export function gatherRows(table: tf.Tensor, indices: tf.Tensor): tf.Tensor {
  const backend = tf.backend() as BackendWasm;
  const result = backend.makeOutput([...indices.shape, ...table.shape.slice(1)], table.dtype);
  // Views only now: making the result may have moved the memory.
  const [from, places, to] = [table, indices, result].map((each) => backend.typedArrayFromHeap(each));
  const [rows, width] = [table.shape[0]!, table.size / table.shape[0]!];
  for (let i = 0; i < places!.length; i += 1) {
    const row = places![i]!;
    const at = i * width;
    if (row >= 0 && row < rows) to!.set(from!.subarray(row * width, (row + 1) * width), at);
    else to!.fill(0, at, at + width);
  }
  return tf.engine().makeTensorFromTensorInfo(result);
}

/**
 * Elements of rows by their places; the wasm backend's own gather with batch axes takes wrong ones.
 *
 * Shapes: x [n, m], places [n, k] → [n, k].
 */
export function pickElements(x: tf.Tensor, places: tf.Tensor): tf.Tensor {
  const backend = tf.backend() as BackendWasm;
  const result = backend.makeOutput([...places.shape], x.dtype);
  const [from, chosen, to] = [x, places, result].map((each) => backend.typedArrayFromHeap(each));
  const [width, count] = [x.shape[1]!, places.shape[1]!];
  for (let i = 0; i < chosen!.length; i += 1) to![i] = from![Math.floor(i / count) * width + chosen![i]!]!;
  return tf.engine().makeTensorFromTensorInfo(result);
}
