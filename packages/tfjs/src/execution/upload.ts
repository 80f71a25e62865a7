import type { DType, NumericTensor } from '@fuzzqe/core/tensor';
import * as tf from '@tensorflow/tfjs-core';

/** How tfjs holds each kind of number: it has no types of one or two bytes, and float32 has all of their numbers. */
const heldAs: Readonly<Record<DType, 'float32' | 'int32' | 'bool'>> = {
  float: 'float32',
  int: 'int32',
  bool: 'bool',
  half: 'float32',
  int8: 'float32',
  uint8: 'float32',
};

/** Copies numbers to the device. */
export function upload({ shape, data }: NumericTensor, dtype: DType): tf.Tensor {
  const held = heldAs[dtype];
  // A copy in any case: the cpu backend would otherwise compute on the caller's array.
  const copy =
    held === 'float32'
      ? Float32Array.from(data)
      : held === 'int32'
        ? Int32Array.from(data)
        : Uint8Array.from(data);
  return tf.tensor(copy, [...shape], held);
}

/**
 * Copies numbers from the device.
 *
 * @example
 * const tensors = createDeviceTensors(await openBackend('cpu'));
 * const x = input('x', 'float', [1, 2]);
 * const { y } = openProgram(createProgram({ name: 'copy', inputs: [x], outputs: { y: x } }), tensors).run({
 *   x: numeric([1, 2], [1, 2]),
 * });
 * console.log((await download(y!)).data);
 */
export async function download(tensor: tf.Tensor): Promise<NumericTensor> {
  const data = (await tensor.data()) as Float32Array | Int32Array | Uint8Array;
  return { shape: [...tensor.shape], data: data.slice() };
}
