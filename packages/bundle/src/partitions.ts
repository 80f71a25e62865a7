import { FuzzError } from '@fuzzqe/core';
import { bundlePaths } from './manifest.ts';

/** Log-partitions z_r as `partitions.bin` holds them: little-endian float32. Shapes: [|R|] → 4·|R| bytes. */
export function encodePartitions(partitions: Float32Array): Uint8Array {
  const bytes = new Uint8Array(partitions.length * 4);
  const view = new DataView(bytes.buffer);
  partitions.forEach((value, i) => {
    view.setFloat32(i * 4, value, true);
  });
  return bytes;
}

/**
 * The log-partitions z_r in the bytes of `partitions.bin`, wherever in their buffer they begin.
 *
 * Shapes: 4·|R| bytes → [|R|].
 *
 * @throws FuzzError `bundle`: another length, or a number that is not finite.
 */
export function decodePartitions(bytes: Uint8Array, relations: number): Float32Array {
  if (bytes.length !== 4 * relations)
    throw damaged(`expected 4 bytes for each of ${relations} relations, got ${bytes.length} bytes`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const partitions = Float32Array.from({ length: relations }, (_, r) => view.getFloat32(4 * r, true));
  const bad = partitions.findIndex((value) => !Number.isFinite(value));
  if (bad >= 0) throw damaged(`expected finite numbers, got ${partitions[bad]} for relation ${bad}`);
  return partitions;
}

function damaged(what: string): FuzzError {
  return new FuzzError('bundle', `partitions: ${what}`, {
    path: bundlePaths.partitions,
    hint: 'The file is damaged or of another model; export or download the bundle again.',
  });
}
