import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { changesOf, writeRuntimeImage } from './record-image.ts';
import { beginningFrom, openRuntimeImage, type RuntimeStart, withoutEnvironment } from './runtime-image.ts';

/** An instance whose beginning writes three bytes, the last beyond the memory that it had, and counts how often it is called. */
function instance(version = '1.30.0', given: Uint8Array = Uint8Array.of(9)) {
  const memory = new WebAssembly.Memory({ initial: 1, maximum: 4, shared: true });
  const heap = (): Uint8Array => new Uint8Array(memory.buffer);
  heap().set(given, 100);
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

async function imageOf(given?: Uint8Array): Promise<Uint8Array> {
  const first = instance('1.30.0', given);
  const image = await new Promise<Uint8Array>((resolve) =>
    first.begin({ onBegun: (before, after) => resolve(changesOf(before, after)) }, 1, 4),
  );
  return openRuntimeImage('1.30.0', await writeRuntimeImage('1.30.0', image));
}

describe('a runtime with an image', () => {
  it('has the memory of the one that the image is of, without beginning itself', async () => {
    const [first, second] = [instance(), instance()];
    first.begin({}, 1, 4);
    const start: RuntimeStart = { image: await imageOf() };
    expect(second.begin(start, 1, 4)).toBe(0);
    expect(second.begun()).toBe(0);
    expect(Buffer.compare(second.heap(), first.heap())).toBe(0);
    // A copy in JavaScript would be memory that nobody needs.
    expect(start).toEqual({ image: undefined, begun: true });
  });

  it.each([
    ['another value', Uint8Array.of(8)],
    ['a value at another place', Uint8Array.of(0, 9)],
    ['a value more', Uint8Array.of(9, 0, 0, 0, 0, 0, 0, 0, 1)],
    ['no value', Uint8Array.of(0)],
  ])('begins by itself in memory with %s, says so and makes an image of its own', async (_, given) => {
    const [own, other] = [instance('1.30.0', given), instance('1.30.0', given)];
    own.begin({}, 1, 4);
    const whys: string[] = [];
    const made: Uint8Array[] = [];
    const start: RuntimeStart = {
      image: await imageOf(),
      onOther: ({ message }) => whys.push(message),
      onBegun: (before, after) => made.push(changesOf(before, after)),
    };
    expect(other.begin(start, 1, 4)).toBe(0);
    expect(other.begun()).toBe(1);
    expect(Buffer.compare(other.heap(), own.heap())).toBe(0);
    expect(whys).toEqual([expect.stringContaining('made from other memory')]);
    expect(start.image).toBeUndefined();
    const next = instance('1.30.0', given);
    next.begin({ image: made[0] }, 1, 4);
    expect(next.begun()).toBe(0);
    expect(Buffer.compare(next.heap(), own.heap())).toBe(0);
  });

  it('begins from an image of memory that was written to in several places, and by itself where one of them differs', async () => {
    const [near, far] = [20, 30_000];
    const given = new Uint8Array(far + 1);
    given.set([9], near);
    given.set([5], far);
    const image = await imageOf(given);
    // Two places are compared, each a block.
    expect(new DataView(image.buffer, image.byteOffset).getUint32(16, true)).toBe(2);
    const begunBy = (change: (given: Uint8Array) => void): number => {
      const own = given.slice();
      change(own);
      const { begin, begun } = instance('1.30.0', own);
      begin({ image: image.slice() }, 1, 4);
      return begun();
    };
    expect(begunBy(() => undefined)).toBe(0);
    for (const at of [near, near + 1, far, far - 1])
      expect(begunBy((own) => own.fill(own[at]! + 1, at, at + 1))).toBe(1);
    // What was written in the one place stands in the other.
    expect(begunBy((own) => own.fill(9, far).fill(5, near, near + 1))).toBe(1);
  });

  it.each<[string, (image: DataView) => void]>([
    ['writes beyond its pages', (image) => image.setUint32(28, 2 * 65_536, true)],
    ['has a run longer than the image', (image) => image.setUint32(32, 60_000, true)],
    ['compares no memory', (image) => image.setUint32(16, 0, true)],
    ['compares more places than are in it', (image) => image.setUint32(16, 0xffffffff, true)],
    ['compares memory that is not there', (image) => image.setUint32(20, 2 * 65_536, true)],
    ['compares no whole words', (image) => image.setUint32(24, 4095, true)],
    ['wants more memory than there may be', (image) => image.setUint32(12, 5, true)],
    ['wants less memory than there is', (image) => image.setUint32(12, 0, true)],
  ])('begins by itself in memory as it was where the image %s', async (_, damage) => {
    const image = (await imageOf()).slice();
    damage(new DataView(image.buffer));
    const [own, other] = [instance(), instance()];
    own.begin({}, 1, 4);
    const whys: string[] = [];
    expect(other.begin({ image, onOther: ({ message }) => whys.push(message) }, 1, 4)).toBe(0);
    expect(other.begun()).toBe(1);
    expect(Buffer.compare(other.heap(), own.heap())).toBe(0);
    expect(whys).toHaveLength(1);
  });

  it('begins by itself where the image is cut off, before a byte is written', async () => {
    const image = await imageOf();
    for (const length of [0, 10, image.length - 1]) {
      const [own, other] = [instance(), instance()];
      own.begin({}, 1, 4);
      other.begin({ image: image.subarray(0, length) }, 1, 4);
      expect(other.begun()).toBe(1);
      expect(Buffer.compare(other.heap(), own.heap())).toBe(0);
    }
  });

  it('begins by itself with other arguments, or where it is of another version', async () => {
    for (const [other, given] of [
      [instance(), [2, 4]],
      [instance('1.31.0'), [1, 4]],
    ] as const) {
      const start: RuntimeStart = { image: await imageOf() };
      other.begin(start, ...given);
      expect(other.begun()).toBe(1);
      if (given[0] !== 1) expect(start.image).toBeUndefined();
    }
  });
});

it('a runtime has no variables of the environment, which hold the language of the page', () => {
  const memory = new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true });
  const imports = { a: { memory, Ga: () => expect.unreachable(), Ha: () => expect.unreachable() }, b: {} };
  new Uint8Array(memory.buffer).fill(255, 0, 12);
  const { a } = withoutEnvironment(imports, '1.30.0') as unknown as typeof imports & {
    a: Record<'Ga' | 'Ha', (first: number, second: number) => number>;
  };
  expect([a.Ha(0, 4), a.Ga(0, 4)]).toEqual([0, 0]);
  expect([...new Uint32Array(memory.buffer, 0, 3)]).toEqual([0, 0, 0xffffffff]);
  expect(withoutEnvironment(imports, '1.31.0')).toBe(imports);
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
