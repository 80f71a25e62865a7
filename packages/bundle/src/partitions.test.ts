import { expect, it } from 'vitest';
import { decodePartitions, encodePartitions } from './partitions.ts';

it('writes log-partitions as little-endian float32 and reads them from anywhere in a buffer', () => {
  const partitions = Float32Array.of(1, -0.5, 12.25, 3);
  const bytes = encodePartitions(partitions);
  expect([...bytes.subarray(0, 8)]).toEqual([0, 0, 0x80, 0x3f, 0, 0, 0, 0xbf]);
  const shifted = new Uint8Array(bytes.length + 1);
  shifted.set(bytes, 1);
  expect(decodePartitions(shifted.subarray(1), 4)).toEqual(partitions);
});

it('refuses those of another model, and numbers that are not finite', () => {
  const bytes = encodePartitions(Float32Array.of(1, Number.NaN));
  expect(() => decodePartitions(bytes, 4)).toThrow('expected 4 bytes for each of 4 relations, got 8 bytes');
  expect(() => decodePartitions(bytes, 2)).toThrow('expected finite numbers, got NaN for relation 1');
});
