import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { beginningFrom, openRuntimeImage, type RuntimeStart, writeRuntimeImage } from './runtime-image.ts';

/** An instance whose beginning writes three bytes, the last beyond the memory that it had, and counts how often it is called. */
function instance(version = '1.30.0') {
  const memory = new WebAssembly.Memory({ initial: 1, maximum: 4, shared: true });
  const heap = (): Uint8Array => new Uint8Array(memory.buffer);
  let begun = 0;
  const exports = {
    Wa(): number {
      begun += 1;
      memory.grow(1);
      heap()[7] = 1;
      heap()[40_000] = 2;
      heap()[2 * 65_536 - 1] = 3;
      return 0;
    },
  };
  return {
    heap,
    begun: () => begun,
    begin(start: RuntimeStart, ...given: number[]): unknown {
      const own = beginningFrom(
        { exports } as unknown as WebAssembly.Instance,
        { a: { memory } },
        version,
        start,
      );
      return (own as typeof exports & { Wa(...given: number[]): number }).Wa(...given);
    },
  };
}

async function imageOf(): Promise<Uint8Array> {
  const first = instance();
  const image = await new Promise<Uint8Array>((onImage) => first.begin({ onImage }, 1, 4));
  return openRuntimeImage('1.30.0', await writeRuntimeImage('1.30.0', image));
}

describe('a runtime with an image', () => {
  it('has the memory of the one that the image is of, without beginning itself', async () => {
    const [first, second] = [instance(), instance()];
    first.begin({}, 1, 4);
    const start: RuntimeStart = { image: await imageOf() };
    expect(second.begin(start, 1, 4)).toBe(0);
    expect(second.begun()).toBe(0);
    expect(second.heap()).toEqual(first.heap());
    // A copy in JavaScript would be memory that nobody needs.
    expect(start).toEqual({ image: undefined, begun: true });
  });

  it('begins by itself with other arguments, or where it is of another version', async () => {
    for (const [other, given] of [
      [instance(), [2, 4]],
      [instance('1.31.0'), [1, 4]],
    ] as const) {
      other.begin({ image: await imageOf() }, ...given);
      expect(other.begun()).toBe(1);
    }
  });
});

it('an image of another version, cut off or altered is refused', async () => {
  const file = await writeRuntimeImage('1.30.0', await imageOf());
  await expect(openRuntimeImage('1.31.0', file)).rejects.toThrow('expected 1.31.0 ');
  await expect(openRuntimeImage('1.30.0', file.subarray(0, -1))).rejects.toThrow('expected 1.30.0 ');
  await expect(
    openRuntimeImage(
      '1.30.0',
      file.map((byte, at) => (at === 200 ? byte ^ 1 : byte)),
    ),
  ).rejects.toThrow();
});

it('the export that begins the runtime is called so in the version that is installed', async () => {
  const require = createRequire(import.meta.url);
  const script = await readFile(require.resolve('onnxruntime-web/ort-wasm-simd-threaded.mjs'), 'utf8');
  expect(script).toMatch(/\b_OrtInit=\w+\.Wa[,;]/);
});
