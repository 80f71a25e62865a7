import { describe, expect, it } from 'vitest';
import { createWireReader } from './wire-reader.ts';

const readerOf = (...bytes: number[]) => createWireReader(Uint8Array.from(bytes));
/** The ten bytes of −1, as protobuf writes negative numbers. */
const minusOne = [...new Array<number>(9).fill(0xff), 0x01];

describe('a reader of a protobuf file', () => {
  it('reads negative numbers, and takes none for a length: whoever reads on from there would never end', () => {
    expect(readerOf(...minusOne).int64(10)).toBe(-1);
    for (const what of ['end', 'bytes', 'string'] as const)
      expect(() => readerOf(...minusOne)[what](10)).toThrow('-1 bytes are announced');
  });

  it('reads no number across the end of its message', () => {
    const bytes = [0, 0, 0x80, 0x3f];
    expect(readerOf(...bytes).float(4)).toBe(1);
    // The bytes of another message follow.
    expect(() => readerOf(...bytes, 0, 0).float(3)).toThrow('cut off');
    expect(() => readerOf(0x80, 0x01).int64(1)).toThrow('cut off');
    expect(() => readerOf(2, 0x41, 0x42).string(2)).toThrow('2 bytes are announced, 1 are there');
  });
});
