import type { ElementType } from './element-type.ts';

/** Numbers as ONNX stores them: little-endian, one after the other. */
export function bytesOf(type: ElementType, values: readonly number[]): Uint8Array {
  if (type === 'bool') return Uint8Array.from(values, (value) => (value === 0 ? 0 : 1));
  const width = type === 'int64' ? 8 : 4;
  const bytes = new Uint8Array(values.length * width);
  const view = new DataView(bytes.buffer);
  values.forEach((value, i) => {
    if (type === 'float') view.setFloat32(i * width, value, true);
    else if (type === 'int32') view.setInt32(i * width, value, true);
    else view.setBigInt64(i * width, BigInt(value), true);
  });
  return bytes;
}

/** The bytes of an array, as they are in memory: little-endian on every machine that runs JavaScript today. */
export function viewBytes(data: Float32Array | Int32Array | Uint8Array): Uint8Array {
  return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
}
