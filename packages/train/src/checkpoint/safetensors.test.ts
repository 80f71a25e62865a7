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
});
