import { Buffer } from 'node:buffer';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { crc32 } from './crc32.ts';

describe('the checksum of a line', () => {
  it('is that of gzip, whose trailer has it, in one part or in two', () => {
    // The check value of CRC-32/ISO-HDLC.
    expect(crc32(Buffer.from('123456789'))).toBe(0xcbf43926);
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.nat(300), (bytes, at) => {
        const expected = gzipSync(bytes).readUInt32LE(gzipSync(bytes).length - 8);
        expect(crc32(bytes)).toBe(expected);
        expect(crc32(bytes.subarray(at), crc32(bytes.subarray(0, at)))).toBe(expected);
      }),
    );
  });
});
