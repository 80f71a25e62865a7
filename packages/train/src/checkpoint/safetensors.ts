import { createHash } from 'node:crypto';
import { FuzzError } from '@fuzzqe/core';
import { sizeOf } from '@fuzzqe/core/tensor';
import { openRegularFile, pieceBytes, readFully, type WrittenFile, writeFileWhole } from '@fuzzqe/files';
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
 * Writes tensors as a safetensors file, whole or not at all: header length (8 bytes), JSON header, float32 numbers.
 *
 * Names are sorted and the header is padded to 8 bytes, so the same tensors give the same bytes. No second copy of the tensors is
 * made, and they may be larger than 2³¹ bytes.
 *
 * @throws FuzzError `shape`: numbers that do not fit their shape. `storage`: the disk refuses.
 * Source: the safetensors format specification.
 */
export function writeSafetensors(path: string, content: SafetensorsContent): Promise<WrittenFile> {
  const blocks = blocksOf(content);
  return writeFileWhole(path, async (file) => {
    for (const block of blocks) await file.write(block);
  });
}

/** The bytes that `writeSafetensors` writes, for what fits in memory twice. */
export function encodeSafetensors(content: SafetensorsContent): Uint8Array {
  const blocks = blocksOf(content);
  const bytes = new Uint8Array(blocks.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const block of blocks) {
    bytes.set(block, at);
    at += block.length;
  }
  return bytes;
}

/** The header, and the numbers of each tensor as they lie in memory: little-endian, as on every machine that onnxruntime-node is built for. */
function blocksOf({ tensors, metadata }: SafetensorsContent): Uint8Array[] {
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
  const head = new Uint8Array(8 + length).fill(0x20);
  new DataView(head.buffer).setBigUint64(0, BigInt(length), true);
  head.set(text, 8);
  return [head, ...names.map((name) => bytesOf(tensors[name]!.data))];
}

function bytesOf({ buffer, byteOffset, byteLength }: Float32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/**
 * Reads a safetensors file of float32 tensors piece by piece, each number once and straight into its tensor, with the size and the
 * SHA-256 of what was read.
 *
 * @throws FuzzError `checkpoint`: no file, a damaged one, one that holds something else or more than there is memory for.
 */
export async function readSafetensors(
  path: string,
  size: number = pieceBytes,
): Promise<SafetensorsContent & WrittenFile> {
  const { handle: file, bytes } = await openRegularFile(path, 'checkpoint');
  try {
    const hash = createHash('sha256');
    let position = 0;
    const read = async (length: number): Promise<ArrayBuffer> => {
      const target = new Uint8Array(reserve(length, path));
      await readFully(file, target, position, { path, size, onPiece: (piece) => hash.update(piece) });
      position += length;
      return target.buffer;
    };
    const start = new Uint8Array(await read(Math.min(8, bytes)));
    const header = new Uint8Array(await read(headerLength(start, bytes, path)));
    const { places, metadata } = readSafetensorsHeader(header, bytes - position, path);
    const tensors: Record<string, NamedTensors[string]> = {};
    // They lie one after the other, so that all bytes are hashed in their order.
    for (const { name, shape, start: from, end } of places)
      tensors[name] = { shape, data: new Float32Array(await read(end - from)) };
    return { tensors, metadata, bytes, sha256: hash.digest('hex') };
  } finally {
    await file.close();
  }
}

function reserve(bytes: number, path: string): ArrayBuffer {
  try {
    return new ArrayBuffer(bytes);
  } catch (cause) {
    throw new FuzzError('checkpoint', `a tensor of ${bytes} bytes does not fit in memory`, {
      path,
      hint: 'Use a machine with more memory.',
      cause,
    });
  }
}

/**
 * Reads the bytes of a safetensors file of float32 tensors.
 *
 * @throws FuzzError `checkpoint`: they are damaged or hold something else.
 */
export function decodeSafetensors(bytes: Uint8Array, path: string): SafetensorsContent {
  const length = headerLength(bytes, bytes.length, path);
  const body = bytes.subarray(8 + length);
  const { places, metadata } = readSafetensorsHeader(bytes.subarray(8, 8 + length), body.length, path);
  const tensors: Record<string, NamedTensors[string]> = {};
  // A copy, because float32 views must begin at a multiple of 4 bytes. (A Buffer's own slice would not copy.)
  for (const { name, shape, start, end } of places)
    tensors[name] = { shape, data: new Float32Array(new Uint8Array(body.subarray(start, end)).buffer) };
  return { tensors, metadata };
}

/** Throws 'checkpoint' for the first number that is not finite, with its tensor and place. */
export function expectFinite(tensors: NamedTensors, path: string): void {
  for (const [name, { data }] of Object.entries(tensors)) {
    let at = 0;
    while (at < data.length && Number.isFinite(data[at]!)) at += 1;
    if (at < data.length)
      throw new FuzzError('checkpoint', `tensor "${name}" holds ${data[at]} at position ${at}`, {
        path,
        hint: 'training went wrong before this was written; resume from an earlier checkpoint with a lower learning rate',
      });
  }
}
