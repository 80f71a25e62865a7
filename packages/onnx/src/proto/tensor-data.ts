import { encodeHalf } from '@fuzzqe/core/tensor';
import { type ElementType, elementBytes } from './element-type.ts';

/** How one number is written. */
const writers: Readonly<Record<ElementType, (view: DataView, at: number, value: number) => void>> = {
  bool: (view, at, value) => view.setUint8(at, value === 0 ? 0 : 1),
  uint8: (view, at, value) => view.setUint8(at, value),
  int8: (view, at, value) => view.setInt8(at, value),
  int32: (view, at, value) => view.setInt32(at, value, true),
  int64: (view, at, value) => view.setBigInt64(at, BigInt(value), true),
  float: (view, at, value) => view.setFloat32(at, value, true),
  float16: (view, at, value) => view.setUint16(at, encodeHalf(value), true),
};

/** Numbers as ONNX stores them: little-endian, one after the other. */
export function bytesOf(type: ElementType, values: readonly number[]): Uint8Array {
  const width = elementBytes[type];
  const bytes = new Uint8Array(values.length * width);
  const view = new DataView(bytes.buffer);
  const write = writers[type];
  values.forEach((value, i) => {
    write(view, i * width, value);
  });
  return bytes;
}

/** The bytes of an array, as they are in memory: little-endian on every machine that runs JavaScript today. */
export function viewBytes(
  data: Float32Array | Int32Array | Uint8Array | Int8Array | Uint16Array,
): Uint8Array {
  return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
}

/**
 * What is wrong with the path of a file of weights, or nothing.
 *
 * onnxruntime and onnx.checker read only files inside the folder of the graph, so a path cannot lead out of it.
 */
export function locationProblem(location: string): string | undefined {
  if (location === '') return 'it is empty';
  if (/^([/\\]|[A-Za-z]:)/.test(location)) return 'it is not relative to the folder of the graph';
  if (location.split(/[/\\]/).includes('..')) return 'it leads out of the folder of the graph';
  return undefined;
}
