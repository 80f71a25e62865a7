import { FuzzError } from '@fuzzqe/core';
import { sizeOf } from '@fuzzqe/core/tensor';
import { headerLength, readSafetensorsHeader } from './safetensors-header.ts';

/** Float32 tensors by name, as they stand in a safetensors file. */
export type NamedTensors = Readonly<
  Record<string, { readonly shape: readonly number[]; readonly data: Float32Array }>
>;

/** Tensors and texts of one safetensors file. */
export interface SafetensorsContent {
  readonly tensors: NamedTensors;
  readonly metadata: Readonly<Record<string, string>>;
}

/**
 * Tensors as the bytes of a safetensors file: header length (8 bytes), JSON header, float32 numbers.
 *
 * Names are sorted and the header is padded to 8 bytes, so the same tensors give the same bytes.
 * Source: the safetensors format specification.
 */
export function encodeSafetensors({ tensors, metadata }: SafetensorsContent): Uint8Array {
  const names = Object.keys(tensors).sort();
  const header: Record<string, unknown> = {};
  const texts = Object.entries(metadata).sort(([a], [b]) => (a < b ? -1 : 1));
  if (texts.length > 0) header['__metadata__'] = Object.fromEntries(texts);
  let offset = 0;
  for (const name of names) {
    const { shape, data } = tensors[name]!;
    if (sizeOf(shape) !== data.length)
      throw new FuzzError('shape', `tensor "${name}" [${shape}] has ${data.length} numbers`);
    header[name] = { dtype: 'F32', shape, data_offsets: [offset, offset + data.byteLength] };
    offset += data.byteLength;
  }
  const text = new TextEncoder().encode(JSON.stringify(header));
  const length = Math.ceil(text.length / 8) * 8;
  const bytes = new Uint8Array(8 + length + offset);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(length), true);
  bytes.fill(0x20, 8, 8 + length);
  bytes.set(text, 8);
  let at = 8 + length;
  for (const name of names) {
    const { data } = tensors[name]!;
    bytes.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), at);
    at += data.byteLength;
  }
  return bytes;
}

/** Reads a safetensors file of float32 tensors. Throws: 'checkpoint' where it is damaged or holds something else. */
export function decodeSafetensors(bytes: Uint8Array, path: string): SafetensorsContent {
  const length = headerLength(bytes, bytes.length, path);
  const body = bytes.subarray(8 + length);
  const { places, metadata } = readSafetensorsHeader(bytes.subarray(8, 8 + length), body.length, path);
  const tensors = places.map(({ name, shape, start, end }) => {
    // A copy, because float32 views must begin at a multiple of 4 bytes. (A Buffer's own slice would not copy.)
    const data = new Float32Array(new Uint8Array(body.subarray(start, end)).buffer);
    return [name, { shape, data }] as const;
  });
  return { tensors: Object.fromEntries(tensors), metadata };
}

/** Throws 'checkpoint' for the first number that is not finite, with its tensor and place. */
export function expectFinite(tensors: NamedTensors, path: string): void {
  for (const [name, { data }] of Object.entries(tensors)) {
    const at = data.findIndex((value) => !Number.isFinite(value));
    if (at >= 0)
      throw new FuzzError('checkpoint', `tensor "${name}" holds ${data[at]} at position ${at}`, {
        path,
        hint: 'training went wrong before this was written; resume from an earlier checkpoint with a lower learning rate',
      });
  }
}
