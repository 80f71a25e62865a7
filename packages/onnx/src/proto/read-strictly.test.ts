import { describe, expect, it } from 'vitest';
import { decodeOnnx, encodeOnnx, readStrictly } from '../index.ts';
import { everyField } from '../testing/every-field.ts';

const begin = [0x08, 0x0a]; // irVersion 10

describe('the strict reader of ONNX files', () => {
  it('reads what the codec writes as the codec does', () => {
    const bytes = encodeOnnx(everyField);
    expect(readStrictly(bytes)).toEqual(everyField);
    expect(readStrictly(bytes)).toEqual(decodeOnnx(bytes));
  });

  it.each([0, 1, 127, 128, -1, 2 ** 31, 2 ** 32, -(2 ** 31), -(2 ** 40) - 1, 2 ** 53 - 1, 1 - 2 ** 53])(
    'keeps the number %s',
    (modelVersion) => {
      const bytes = encodeOnnx({ modelVersion, irVersion: 10, opsetImport: [], metadataProps: [] });
      expect(readStrictly(bytes).modelVersion).toBe(modelVersion);
    },
  );

  // Tags: ModelProto.graph is 0x3a, its functions 25, GraphProto.sparseInitializer 15.
  it.each([
    ['functions, which may hold any operator', [0xca, 0x01, 0x00], /ModelProto has the field 25/],
    ['a field of a graph that runtimes read', [0x3a, 0x02, 0x7a, 0x00], /GraphProto has the field 15/],
    ['two graphs, which runtimes make one of', [0x3a, 0x00, 0x3a, 0x00], /ModelProto\.graph stands twice/],
    ['packed numbers', [0x3a, 0x06, 0x2a, 0x04, 0x0a, 0x02, 0x02, 0x03], /dims has the wrong kind/],
  ])('refuses %s, which other readers take', (_, bytes, message) => {
    const file = Uint8Array.of(...begin, ...bytes);
    expect(() => readStrictly(file)).toThrow(message);
    expect(decodeOnnx(file).irVersion).toBe(10);
  });

  it.each([
    ['a number of 11 bytes', [0x28, ...new Array(10).fill(0x80), 0x00]],
    ['a number of 65 bits', [0x28, ...new Array(9).fill(0xff), 0x03]],
    ['a number that is cut off', [0x28, 0x80]],
    ['a length beyond the end', [0x12, 0x05, 0x61]],
    ['a length below 0', [0x12, ...new Array(9).fill(0xff), 0x01]],
    ['text that is not UTF-8', [0x12, 0x01, 0xff]],
    ['an end of a group', [0x3c]],
    // An element type of 2^32 + 1, of which other readers keep the lowest 32 bits.
    ['an int32 of 33 bits', [0x3a, 0x08, 0x2a, 0x06, 0x10, 0x81, 0x80, 0x80, 0x80, 0x10]],
  ])('refuses %s', (_, bytes) => {
    expect(() => readStrictly(Uint8Array.of(...begin, ...bytes))).toThrow(/not an ONNX file, or only a part/);
  });

  it('refuses messages that are nested without end', () => {
    let bytes: number[] = [];
    const varint = (n: number): number[] => (n < 128 ? [n] : [(n & 127) | 128, ...varint(n >>> 7)]);
    for (let depth = 0; depth < 300; depth += 1)
      for (const tag of [0x32, 0x2a, 0x0a]) bytes = [tag, ...varint(bytes.length), ...bytes];
    const file = Uint8Array.of(0x3a, ...varint(bytes.length), ...bytes);
    expect(() => readStrictly(file)).toThrow('nested too deeply');
  });
});
