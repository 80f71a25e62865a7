import { FuzzError } from '@fuzzqe/core';
import { sizeOf } from '@fuzzqe/core/tensor';
import { type ElementType, elementBytes, elementTypeNamed, externalLocation } from '../proto/element-type.ts';
import type { OnnxTensor } from '../proto/model.ts';

/** The numbers of a tensor, row by row; those of int64 are in float64, since none of FuzzQE's leaves its whole numbers. */
export type Numbers = Float32Array | Float64Array | Int32Array | Uint16Array | Uint8Array | Int8Array;

/** A tensor while a graph runs. */
export interface Value {
  readonly type: ElementType;
  readonly dims: readonly number[];
  readonly data: Numbers;
}

const arrays = {
  float: Float32Array,
  uint8: Uint8Array,
  int8: Int8Array,
  int32: Int32Array,
  int64: Float64Array,
  bool: Uint8Array,
  float16: Uint16Array,
} as const;

/** A tensor of zeros. */
export const zeros = (type: ElementType, dims: readonly number[]): Value => ({
  type,
  dims,
  data: new arrays[type](sizeOf(dims)),
});

/** Whole numbers along one axis, such as a shape. */
export const integers = (numbers: readonly number[]): Value => ({
  type: 'int64',
  dims: [numbers.length],
  data: Float64Array.from(numbers),
});

/**
 * The tensor that a file holds: a view of its bytes where they begin at a place that the platform can read from, else a copy.
 *
 * `external` returns the bytes of a file of weights by its location.
 * @throws FuzzError `bundle`: a kind of numbers that FuzzQE does not use, or fewer bytes than the tensor has.
 */
export function storedValue(tensor: OnnxTensor, external: (location: string) => Uint8Array): Value {
  const { dims, name = '' } = tensor;
  const type = elementTypeNamed(tensor.dataType);
  const bytes = tensor.dataLocation === externalLocation ? externalBytes(tensor, external) : tensor.rawData;
  if (type === undefined || bytes?.length !== sizeOf(dims) * elementBytes[type])
    throw new FuzzError('bundle', `expected the numbers of ${type ?? 'a known kind'}[${dims.join(', ')}]`, {
      path: name,
      hint: 'The graph or its weights are damaged: export the bundle again.',
    });
  const aligned = bytes.byteOffset % elementBytes[type] === 0 ? bytes : bytes.slice();
  if (type !== 'int64') {
    const { buffer, byteOffset } = aligned;
    return { type, dims, data: new arrays[type](buffer as ArrayBuffer, byteOffset, sizeOf(dims)) };
  }
  const words = new BigInt64Array(aligned.buffer, aligned.byteOffset, sizeOf(dims));
  return { type, dims, data: Float64Array.from(words, Number) };
}

function externalBytes(tensor: OnnxTensor, external: (location: string) => Uint8Array): Uint8Array {
  const entry = (key: string): string => tensor.externalData.find((each) => each.key === key)?.value ?? '';
  const [offset, length] = [Number(entry('offset')), Number(entry('length'))];
  return external(entry('location')).subarray(offset, offset + length);
}
