import { createHash } from 'node:crypto';
import { mkdtemp, open, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  decodeSafetensors,
  encodeSafetensors,
  expectFinite,
  readSafetensors,
  writeSafetensors,
} from './safetensors.ts';

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

describe('a safetensors file', () => {
  const inFolder = async (work: (path: string) => Promise<void>): Promise<void> => {
    const folder = await mkdtemp(join(tmpdir(), 'fuzzqe-safetensors-'));
    try {
      await work(join(folder, 'x.safetensors'));
    } finally {
      await rm(folder, { recursive: true });
    }
  };

  it('is written and read in pieces, of one byte and more, with the hash of all its bytes', () =>
    inFolder(async (path) => {
      const bytes = encodeSafetensors(content);
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      expect(await writeSafetensors(path, content)).toEqual({ bytes: bytes.length, sha256 });
      expect(Buffer.compare(await readFile(path), bytes)).toBe(0);
      for (const size of [1, 7, 8, 1000])
        expect(await readSafetensors(path, size)).toEqual({ ...content, bytes: bytes.length, sha256 });
    }));

  it('is refused at every length that it may be cut off at, and where it is a folder or not there', () =>
    inFolder(async (path) => {
      const bytes = encodeSafetensors(content);
      for (let length = 0; length < bytes.length; length += 1) {
        await writeFile(path, bytes.subarray(0, length));
        await expect(readSafetensors(path), String(length)).rejects.toMatchObject({
          code: 'checkpoint',
          path,
        });
      }
      for (const other of [`${path}-none`, join(path, '..')])
        await expect(readSafetensors(other)).rejects.toMatchObject({ code: 'checkpoint', path: other });
    }));

  // Minutes of disk and 5 GB of memory: FUZZQE_LARGE_FILES=1 npx vitest run safetensors.
  const isAsked = process.env['FUZZQE_LARGE_FILES'] === '1';
  it.runIf(isAsked)(
    'may have a tensor of more than 2³¹ bytes and more than 2³² in all',
    { timeout: 600_000 },
    () =>
      inFolder(async (path) => {
        const [large, small] = [2 ** 29 + 5, 2 ** 29 + 1];
        const header = JSON.stringify({
          a: { dtype: 'F32', shape: [large], data_offsets: [0, 4 * large] },
          b: { dtype: 'F32', shape: [small], data_offsets: [4 * large, 4 * (large + small)] },
        }).padEnd(160);
        const file = await open(path, 'w');
        await file.writeFile(Buffer.concat([Buffer.from([160, 0, 0, 0, 0, 0, 0, 0]), Buffer.from(header)]));
        await file.write(Buffer.from(Float32Array.of(1.5).buffer), 0, 4, 168 + 4 * (large - 1));
        await file.close();
        await truncate(path, 168 + 4 * (large + small));
        const { tensors, sha256, bytes } = await readSafetensors(path);
        expect(bytes).toBeGreaterThan(2 ** 32);
        expect([tensors['a']!.data.length, tensors['a']!.data.at(-1)]).toEqual([large, 1.5]);
        expect(tensors['b']!.data.length).toBe(small);
        // Written again, in the same order and so with other bytes in the header alone, and read back.
        const copy = `${path}-copy`;
        const written = await writeSafetensors(copy, { tensors, metadata: {} });
        const again = await readSafetensors(copy);
        expect(again.sha256).toBe(written.sha256);
        expect(again.sha256).not.toBe(sha256);
        expect(again.tensors['a']!.data.at(-1)).toBe(1.5);
      }),
  );
});
