import { elementBytes, elementTypeNamed, externalLocation } from '../proto/element-type.ts';
import type { OnnxTensor } from '../proto/model.ts';
import { locationProblem } from '../proto/tensor-data.ts';
import { expectUnique, invalid } from './invalid.ts';

/** The size in bytes of a file of weights, or nothing where there is no such file. */
export type ExternalSize = (location: string) => number | undefined;

/**
 * Checks that a tensor has the numbers that it announces.
 *
 * @throws FuzzError `bundle`.
 */
export function checkTensor(tensor: OnnxTensor, path: string, externalSize?: ExternalSize): void {
  const type = elementTypeNamed(tensor.dataType);
  if (type === undefined) invalid(path, `FuzzQE does not use data type ${tensor.dataType}`);
  for (const dim of tensor.dims) if (dim < 0) invalid(path, `a dimension is ${dim}`);
  const bytes = tensor.dims.reduce((product, dim) => product * dim, 1) * elementBytes[type];
  const what = `${type}[${tensor.dims.join(', ')}] takes ${bytes} bytes`;
  if (tensor.dataLocation === externalLocation) checkExternal(tensor, bytes, what, path, externalSize);
  else if (tensor.rawData === undefined) invalid(path, `${what}, there are none`);
  else if (tensor.rawData.length !== bytes) invalid(path, `${what}, got ${tensor.rawData.length}`);
  else if (type === 'float') {
    const at = firstNaN(tensor.rawData);
    if (at !== undefined) invalid(path, `element ${at} is not a number`);
  }
}

function checkExternal(
  tensor: OnnxTensor,
  bytes: number,
  what: string,
  path: string,
  externalSize: ExternalSize | undefined,
): void {
  // Of two entries of one key a runtime may take the other one.
  const keys = tensor.externalData.map(({ key = '' }) => key);
  expectUnique(keys, (key) => `${path}, external data "${key}"`);
  const entry = (key: string): string =>
    tensor.externalData.find((each) => each.key === key)?.value ??
    invalid(path, `the external data have no "${key}"`);
  const count = (key: string): number => {
    const text = entry(key);
    if (!/^\d+$/.test(text) || !Number.isSafeInteger(Number(text)))
      invalid(path, `the external data's "${key}" is "${text}", expected a number of bytes`);
    return Number(text);
  };
  const location = entry('location');
  const problem = locationProblem(location);
  if (problem !== undefined) invalid(path, `the path "${location}" cannot be used: ${problem}`);
  const [offset, length] = [count('offset'), count('length')];
  const other = keys.find((key) => !['location', 'offset', 'length'].includes(key));
  if (other !== undefined) invalid(path, `the external data have "${other}", which FuzzQE does not use`);
  if (length !== bytes) invalid(path, `${what}, the external data have ${length}`);
  if (externalSize === undefined) return;
  const size = externalSize(location);
  if (size === undefined) invalid(path, `there is no file "${location}"`);
  if (offset + length > size)
    invalid(path, `bytes ${offset} to ${offset + length} are wanted of "${location}", which has ${size}`);
}

function firstNaN(bytes: Uint8Array): number | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at < bytes.length; at += 4) if (Number.isNaN(view.getFloat32(at, true))) return at / 4;
  return undefined;
}
