import { FuzzError } from '@fuzzqe/core';
import { type DType, formatShape, sizeOf } from '@fuzzqe/core/tensor';
import { elementBytes, elementTypeOf } from '../proto/element-type.ts';

/** A tensor that is to stand in a file of weights. */
export interface WeightTensor {
  readonly name: string;
  readonly dtype: DType;
  readonly shape: readonly number[];
  /** Its numbers, as they stand in the file. */
  readonly bytes: { readonly byteLength: number };
}

/** Where tensors may begin in the file, in bytes. */
export interface WeightAlignment {
  /** From this many bytes on a tensor is large. */
  readonly largeFrom: number;
  readonly large: number;
  readonly small: number;
}

/** Large tensors begin at a page of memory, so that runtimes map them instead of reading them. */
export const weightAlignment: WeightAlignment = { largeFrom: 65_536, large: 4096, small: 64 };

/** Where one tensor is in the file, in bytes. */
export interface WeightPlace {
  readonly offset: number;
  readonly length: number;
}

/** A file of weights: gaps between tensors are zeros. */
export interface WeightLayout {
  readonly size: number;
  /** By name, in the order of the file. */
  readonly places: ReadonlyMap<string, WeightPlace>;
}

/**
 * Places tensors one after the other in a file, in the order of their names.
 *
 * @throws FuzzError `shape`: a name occurs twice or the bytes do not fit dtype and shape.
 * @example
 * const layout = layoutWeights([{ name: 'w', dtype: 'float', shape: [2, 3], bytes: new Float32Array(6) }]);
 */
export function layoutWeights(
  tensors: readonly WeightTensor[],
  alignment: WeightAlignment = weightAlignment,
): WeightLayout {
  const places = new Map<string, WeightPlace>();
  let size = 0;
  for (const tensor of tensors.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const length = tensor.bytes.byteLength;
    const expected = sizeOf(tensor.shape) * elementBytes[elementTypeOf[tensor.dtype]];
    if (length !== expected)
      throw new FuzzError(
        'shape',
        `weights "${tensor.name}": ${tensor.dtype}${formatShape(tensor.shape)} takes ${expected} bytes, got ${length}`,
      );
    if (places.has(tensor.name)) throw new FuzzError('shape', `weights "${tensor.name}" occur twice`);
    const step = length >= alignment.largeFrom ? alignment.large : alignment.small;
    const offset = Math.ceil(size / step) * step;
    places.set(tensor.name, { offset, length });
    size = offset + length;
  }
  return { size, places };
}
