import { FuzzError } from '@fuzzqe/core';
import { formatShape, sizeOf, type TensorOf } from '@fuzzqe/core/tensor';
import { elementBytes, elementTypeOf, elementTypes, externalLocation } from '../proto/element-type.ts';
import type { OnnxTensor } from '../proto/model.ts';
import { locationProblem, viewBytes } from '../proto/tensor-data.ts';

/** Where the numbers of a parameter are. */
export type ParameterPlacement =
  /** They are given at every run, as a training step's state is. */
  | { readonly kind: 'input' }
  /** They are in the graph's file. */
  | {
      readonly kind: 'inline';
      /** The bits of float16 numbers are in a Uint16Array. */
      readonly data: Float32Array | Int32Array | Uint8Array | Int8Array | Uint16Array;
    }
  /** They are in another file, whose path is relative to the graph's folder and stays inside it. */
  | {
      readonly kind: 'external';
      readonly location: string;
      readonly offset: number;
      readonly length: number;
    };

const arrays = {
  float: Float32Array,
  int: Int32Array,
  bool: Uint8Array,
  half: Uint16Array,
  int8: Int8Array,
  uint8: Uint8Array,
} as const;

/**
 * A parameter as an initializer.
 *
 * @throws FuzzError `shape`: a dimension is only a name, or data or length do not fit dtype and shape.
 */
export function placedParameter(
  parameter: TensorOf<'parameter'>,
  placement: Exclude<ParameterPlacement, { kind: 'input' }>,
): OnnxTensor {
  const { name } = parameter.attributes;
  const size = sizeOf(parameter.shape);
  const type = elementTypeOf[parameter.dtype];
  const what = `parameter "${name}": ${parameter.dtype}${formatShape(parameter.shape)}`;
  const tensor = { dims: parameter.shape as readonly number[], dataType: elementTypes[type], name };
  if (placement.kind === 'inline') {
    const { data } = placement;
    if (!(data instanceof arrays[parameter.dtype]))
      throw new FuzzError(
        'shape',
        `${what} needs a ${arrays[parameter.dtype].name}, got a ${data.constructor.name}`,
      );
    if (data.length !== size)
      throw new FuzzError('shape', `${what} needs ${size} numbers, got ${data.length}`);
    return { ...tensor, rawData: viewBytes(data), externalData: [] };
  }
  const { location, offset, length } = placement;
  if (length !== size * elementBytes[type])
    throw new FuzzError('shape', `${what} needs ${size * elementBytes[type]} bytes, the file has ${length}`);
  const problem = locationProblem(location);
  if (problem !== undefined)
    throw new FuzzError('shape', `${what}: the path "${location}" cannot be used: ${problem}`);
  if (!Number.isSafeInteger(offset) || offset < 0)
    throw new FuzzError('shape', `${what}: expected an offset of 0 or more, got ${offset}`);
  return { ...tensor, ...stored(location, offset, length) };
}

/** Rows of a tensor whose numbers are in another file, as a tensor of its own. */
export function rowsOf(whole: OnnxTensor, start: number, end: number, name: string): OnnxTensor {
  const entry = (key: string): string => whole.externalData.find((item) => item.key === key)!.value!;
  const [count, ...rest] = whole.dims as readonly [number, ...number[]];
  const rowBytes = Number(entry('length')) / count;
  return {
    ...whole,
    dims: [end - start, ...rest],
    name,
    ...stored(entry('location'), Number(entry('offset')) + start * rowBytes, (end - start) * rowBytes),
  };
}

function stored(
  location: string,
  offset: number,
  length: number,
): Pick<OnnxTensor, 'externalData' | 'dataLocation'> {
  return {
    externalData: [
      { key: 'location', value: location },
      { key: 'offset', value: String(offset) },
      { key: 'length', value: String(length) },
    ],
    dataLocation: externalLocation,
  };
}
