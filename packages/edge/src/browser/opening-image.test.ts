import { expect, it } from 'vitest';
import { beginningFrom, type RuntimeStart } from '../runtime-image.ts';
import { type FirstGraph, graphIn, openingFrom, withGraph } from './opening-image.ts';

/** A runtime that writes where it has begun and where it has put graphs, and counts how often it does. */
function runtime(start: RuntimeStart, first: FirstGraph, { had = 9, version = '1.30.0' } = {}) {
  const memory = new WebAssembly.Memory({ initial: 1, maximum: 4, shared: true });
  const heap = (): Uint8Array => new Uint8Array(memory.buffer);
  heap()[100] = had;
  const seen = { begun: 0, opened: 0 };
  const exports = {
    Wa(): number {
      seen.begun += 1;
      heap()[7] = 1;
      return 0;
    },
    bb(_model: number, length: number): number {
      seen.opened += 1;
      memory.grow(1);
      const place = 40_000 + 1000 * seen.opened;
      heap()[place] = length;
      return place;
    },
  };
  const imports = { a: { memory } };
  const instance = { exports } as unknown as WebAssembly.Instance;
  const begins = beginningFrom(instance, imports, version, start);
  // The fake's exports are functions of numbers.
  const calls = openingFrom(begins, imports, version, start, first) as unknown as {
    Wa(threads: number, level: number): number;
    bb(model: number, length: number, settings: number): number;
  };
  return { heap, seen, begin: () => calls.Wa(1, 4), open: (length: number) => calls.bb(8, length, 16) };
}

/** A runtime that has opened a graph of 50 bytes, and the image of its memory. */
function firstVisit() {
  const images: Uint8Array[] = [];
  const first = runtime(
    {},
    { opened: undefined, onOpened: (of, image) => images.push(withGraph(of, image)) },
  );
  first.begin();
  const place = first.open(50);
  const { opened, image } = graphIn(images[0]!);
  return { first, images, place, opened, image };
}

it('a runtime with the image of an opened graph has its memory, and runs nothing to begin or to open it', () => {
  const { first, images, place, opened, image } = firstVisit();
  const next = runtime({ image }, { opened });
  next.begin();
  expect(next.open(50)).toBe(place);
  expect(next.seen).toEqual({ begun: 0, opened: 0 });
  expect(Buffer.compare(next.heap(), first.heap())).toBe(0);
  // The next graph is another one.
  next.open(50);
  first.open(50);
  expect([next.seen.opened, images.length]).toEqual([1, 1]);
});

it.each([
  ['another graph', 60, 9, 0],
  ['other memory', 50, 8, 1],
])('one with %s opens it by itself', (_, length, had, begun) => {
  const { opened, image } = firstVisit();
  const next = runtime({ image }, { opened }, { had });
  next.begin();
  expect(next.open(length)).toBe(41_000);
  expect(next.seen).toEqual({ begun, opened: 1 });
});

it('the one byte by which a runtime is made to begin is refused, and is not the first graph', () => {
  const { place, opened, image } = firstVisit();
  const next = runtime({ image }, { opened });
  next.begin();
  expect([next.open(1), next.open(50)]).toEqual([0, place]);
  expect(next.seen.opened).toBe(0);
});

it('one of a version that is not known is left as it is', () => {
  const { opened, image } = firstVisit();
  const next = runtime({ image }, { opened }, { version: '2.0.0' });
  next.begin();
  next.open(1);
  next.open(50);
  expect(next.seen).toEqual({ begun: 1, opened: 2 });
});
