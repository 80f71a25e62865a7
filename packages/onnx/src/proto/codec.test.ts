import { describe, expect, it } from 'vitest';
import { decodeOnnx, encodeOnnx } from '../index.ts';
import { everyField } from '../testing/every-field.ts';

describe('the ONNX file format', () => {
  it('gives back what was written', () => {
    const decoded = decodeOnnx(encodeOnnx(everyField));
    expect(decoded).toEqual(everyField);
    expect(encodeOnnx(decoded)).toEqual(encodeOnnx(everyField));
  });

  it('skips what it does not know and reads packed numbers, as other producers write them', () => {
    const bytes = encodeOnnx({ irVersion: 10, opsetImport: [], metadataProps: [] });
    expect(decodeOnnx(Uint8Array.of(...bytes, 0xa2, 0x01, 0x02, 0x08, 0x01))).toMatchObject({
      irVersion: 10,
    });
    // A number of 64 bits, eight bytes, four bytes and another number.
    const others = [0xa0, 0x01, ...new Array<number>(9).fill(0xff), 0x01];
    others.push(0xa1, 0x01, ...new Array<number>(8).fill(0), 0xa5, 0x01, 0, 0, 0, 0, 0xa0, 0x01, 0x05);
    expect(decodeOnnx(Uint8Array.of(...others, ...bytes))).toMatchObject({ irVersion: 10 });
    for (const cut of [
      [0xa0, 0x01, 0xff],
      [0xa1, 0x01, 0],
      [0xa2, 0x01, 2, 0],
      [0xa3, 0x01],
    ])
      expect(() => decodeOnnx(Uint8Array.of(...bytes, ...cut))).toThrow('not an ONNX file');
    // GraphProto.initializer with dims [2, 3] packed into one field.
    const packed = Uint8Array.of(0x3a, 0x06, 0x2a, 0x04, 0x0a, 0x02, 0x02, 0x03);
    expect(decodeOnnx(packed).graph!.initializer[0]!.dims).toEqual([2, 3]);
  });

  it('refuses messages that are nested without end', () => {
    // graph → node → attribute → graph → …, each announced in one byte more than the one inside it.
    let bytes: number[] = [];
    const varint = (n: number): number[] => (n < 128 ? [n] : [(n & 127) | 128, ...varint(n >>> 7)]);
    for (let depth = 0; depth < 300; depth += 1)
      for (const tag of [0x32, 0x2a, 0x0a]) bytes = [tag, ...varint(bytes.length), ...bytes];
    expect(() => decodeOnnx(Uint8Array.of(0x3a, ...varint(bytes.length), ...bytes))).toThrow(
      'nested too deeply',
    );
  });
});
