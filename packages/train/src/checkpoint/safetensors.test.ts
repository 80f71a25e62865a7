import { describe, expect, it } from 'vitest';
import { decodeSafetensors, encodeSafetensors, expectFinite } from './safetensors.ts';

const content = {
  tensors: {
    b: { shape: [2, 3], data: Float32Array.of(1, 2, 3, 4, 5, 6) },
    a: { shape: [1], data: Float32Array.of(-0.5) },
  },
  metadata: { step: '7' },
};

describe('safetensors', () => {
  it('gives back what was written', () => {
    expect(decodeSafetensors(encodeSafetensors(content), 'x')).toEqual(content);
  });

  it('reads the bytes that node:fs gives, which share a larger buffer', () => {
    const bytes = Buffer.concat([Buffer.from('abc'), encodeSafetensors(content)]).subarray(3);
    expect(decodeSafetensors(bytes, 'x')).toEqual(content);
  });

  it('writes what the format says: header length, sorted header, numbers', () => {
    const bytes = encodeSafetensors(content);
    const length = Number(new DataView(bytes.buffer).getBigUint64(0, true));
    expect(length % 8).toBe(0);
    expect(JSON.parse(new TextDecoder().decode(bytes.subarray(8, 8 + length)))).toEqual({
      __metadata__: { step: '7' },
      a: { dtype: 'F32', shape: [1], data_offsets: [0, 4] },
      b: { dtype: 'F32', shape: [2, 3], data_offsets: [4, 28] },
    });
    expect(new DataView(bytes.buffer).getFloat32(8 + length, true)).toBe(-0.5);
  });

  it('refuses a file that was cut off, at every length', () => {
    const bytes = encodeSafetensors(content);
    for (let length = 0; length < bytes.length; length += 1)
      expect(() => decodeSafetensors(bytes.slice(0, length), 'cut.safetensors'), String(length)).toThrow();
  });

  it('names the tensor and the place of a number that is not finite', () => {
    const bad = { w: { shape: [3], data: Float32Array.of(1, Number.NaN, 2) } };
    expect(() => expectFinite(bad, 'x')).toThrow('tensor "w" holds NaN at position 1');
    expect(() => expectFinite(content.tensors, 'x')).not.toThrow();
  });

  it('refuses numbers of another kind', () => {
    const bytes = encodeSafetensors(content);
    const text = new TextDecoder('latin1').decode(bytes).replace('"F32"', '"F16"');
    const changed = Uint8Array.from(text, (character) => character.charCodeAt(0));
    expect(() => decodeSafetensors(changed, 'x')).toThrow(/F16 numbers, expected F32/);
  });

  const file = (header: string, bytes = 0): Uint8Array => {
    const text = new TextEncoder().encode(header);
    const whole = new Uint8Array(8 + text.length + bytes);
    new DataView(whole.buffer).setBigUint64(0, BigInt(text.length), true);
    whole.set(text, 8);
    return whole;
  };
  const tensor = (start: number, end: number, shape = [(end - start) / 4]): string =>
    JSON.stringify({ dtype: 'F32', shape, data_offsets: [start, end] });

  it('takes tensors in any order of the header, one after the other', () => {
    expect(
      Object.keys(decodeSafetensors(file(`{"b":${tensor(4, 8)},"a":${tensor(0, 4)}}`, 8), 'x').tensors),
    ).toEqual(['a', 'b']);
  });

  it.each([
    ['metadata that is null', file('{"__metadata__":null}'), 'expected an object, got null'],
    ['metadata that is no text', file('{"__metadata__":{"a":1}}'), 'expected a string, got 1'],
    ['a header that is a list', file('[]'), 'expected an object'],
    ['a header that is no UTF-8', new Uint8Array([1, 0, 0, 0, 0, 0, 0, 0, 0xff]), 'not UTF-8'],
    ['a name without end', file(`{"${'a'.repeat(5e6)}":${tensor(0, 4)}}`, 4), 'has 5000000 characters'],
    [
      'a kind of numbers without end',
      file(`{"a":{"dtype":"${'F'.repeat(5e6)}","shape":[1],"data_offsets":[0,4]}}`, 4),
      'FFFF numbers, expected F32',
    ],
    [
      'a header of more than 16 MiB',
      file(`{"__metadata__":{"a":"${'a'.repeat(2 ** 24)}"}}`),
      'that are read',
    ],
    [
      'dimensions without end',
      file(`{"a":${tensor(0, 4, new Array(1e6).fill(1))}}`, 4),
      '1000000 dimensions',
    ],
    [
      'tensors that overlap',
      file(`{"a":${tensor(0, 8)},"b":${tensor(4, 12)},"c":${tensor(4, 8)}}`, 12),
      'inside',
    ],
    ['a gap between tensors', file(`{"a":${tensor(0, 4)},"b":${tensor(8, 12)}}`, 12), 'bytes 4 to 8'],
    ['an end before the beginning', file(`{"a":${tensor(8, 4, [-1])}}`, 12), '$.shape[0]'],
    [
      'sizes whose product is no number',
      file(`{"a":${tensor(0, 0, [9e15, 9e15, 0, 9e15])},"b":${tensor(0, 4, [2 ** 53 - 1, 2 ** 53 - 1])}}`, 4),
      'stands at',
    ],
    ['the name of a prototype', file(`{"__proto__":${tensor(0, 4)}}`, 4), '__proto__'],
  ])('refuses %s in a short line', (_, bytes, message) => {
    const refused = expect(() => decodeSafetensors(bytes, 'x'));
    refused.toThrow(expect.objectContaining({ code: 'checkpoint', path: 'x' }));
    refused.toThrow(message);
    try {
      decodeSafetensors(bytes, 'x');
    } catch (error) {
      expect(String(error).length).toBeLessThan(500);
    }
  });
});
