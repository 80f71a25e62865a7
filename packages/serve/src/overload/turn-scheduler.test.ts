import { expect, it } from 'vitest';
import { createTurnScheduler } from './turn-scheduler.ts';

/** A clock that only work moves: the machine may be busy with other things. */
let time = 0;
const now = (): number => time;
const busyFor = (milliseconds: number): void => {
  time += milliseconds;
};
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

it('begins work at once, and what takes long in turns of its own, in order', async () => {
  const { begin: inTurn } = createTurnScheduler(now);
  const begun: number[] = [];
  for (let i = 0; i < 4; i += 1)
    inTurn(() => {
      begun.push(i);
      busyFor(8);
    });
  expect(begun).toEqual([0]);
  const seen = [begun.length];
  while (begun.length < 4) {
    await turn();
    seen.push(begun.length);
  }
  expect(begun).toEqual([0, 1, 2, 3]);
  // Others have their turn between the pieces.
  expect(seen).toEqual([1, 2, 3, 4]);
});

it('begins much of what takes little while the loop has much else to do', async () => {
  const { begin: inTurn } = createTurnScheduler(now);
  let begun = 0;
  for (let i = 0; i < 100; i += 1)
    inTurn(() => {
      begun += 1;
      busyFor(0.05);
    });
  busyFor(60);
  await turn();
  expect(begun).toBe(100);
  // As many more for as much time, and no more than that where little else is to do.
  for (let i = 0; i < 400; i += 1)
    inTurn(() => {
      begun += 1;
      busyFor(0.05);
    });
  await turn();
  expect(begun).toBeLessThan(300);
});

it('begins one a turn while somebody waits for turns of the loop', async () => {
  const { begin: inTurn, hurry } = createTurnScheduler(now);
  let begun = 0;
  for (let i = 0; i < 30; i += 1)
    inTurn(() => {
      begun += 1;
      busyFor(0.05);
    });
  busyFor(20);
  hurry();
  await turn();
  expect(begun).toBe(2);
  busyFor(20);
  await turn();
  expect(begun).toBe(30);
});

it('hurries in one turn of two at most', async () => {
  const { begin: inTurn, hurry } = createTurnScheduler(now);
  let begun = 0;
  for (let i = 0; i < 60; i += 1)
    inTurn(() => {
      begun += 1;
      busyFor(0.5);
    });
  const seen: number[] = [];
  for (let i = 0; i < 4; i += 1) {
    hurry();
    busyFor(20);
    const before = begun;
    await turn();
    seen.push(begun - before);
  }
  expect(seen).toEqual([1, expect.any(Number), 1, expect.any(Number)]);
  expect(seen[1]).toBeGreaterThan(10);
  expect(seen[3]).toBeGreaterThan(10);
});

it('begins the newest first in an overload that lasts, and the oldest now and then', async () => {
  const scheduler = createTurnScheduler(now);
  const begun: number[] = [];
  const ask = (i: number): void =>
    scheduler.begin(() => {
      begun.push(i);
      busyFor(30);
    });
  for (let i = 0; i < 60; i += 1) ask(i);
  expect(scheduler.isOverloaded).toBe(false);
  while (begun.length < 40) await turn();
  expect(begun.slice(0, 30)).toEqual(Array.from({ length: 30 }, (_, i) => i));
  expect(scheduler.isOverloaded).toBe(true);
  const before = begun.length;
  const oldest = Array.from({ length: 60 }, (_, i) => i).find((i) => !begun.includes(i));
  ask(99);
  while (begun.length < before + 9) await turn();
  expect(begun.slice(before)).toContain(99);
  expect(begun.slice(before)).toContain(oldest);
  while (begun.length < 61) await turn();
  await turn();
  busyFor(2000);
  ask(100);
  await turn();
  expect(scheduler.isOverloaded).toBe(false);
});
