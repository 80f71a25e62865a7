import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { sha256Hex } from './platform.ts';
import { sha256 } from './sha256.ts';

const bytesOf = (length: number): Uint8Array =>
  Uint8Array.from({ length: length + 3 }, (_, i) => (i * 131 + (i >> 7)) & 255).subarray(3);
const expected = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

it('is that of every library, for every length of the last block, wherever the bytes begin', () => {
  for (const length of [...Array.from({ length: 200 }, (_, i) => i), 10_000, 65_536]) {
    const bytes = bytesOf(length);
    expect(Buffer.from(sha256(bytes)).toString('hex'), `${length} bytes`).toBe(expected(bytes));
  }
});

it('is taken where there are more bytes than WebCrypto takes', async () => {
  for (const length of [0, 63, 64, 1000])
    for (const most of [0, 63, 2 ** 31 - 1])
      expect(await sha256Hex(bytesOf(length), most)).toBe(expected(bytesOf(length)));
});
