import { expect, it } from 'vitest';
import { createTurns } from './one-a-turn.ts';

/** A clock that only work moves: the machine may be busy with other things. */
let time = 0;
const now = (): number => time;
const busyFor = (milliseconds: number): void => {
  time += milliseconds;
};
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

it('begins work at once, and what takes long in turns of its own, in order', async () => {
  const inTurn = createTurns(now);
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
  const inTurn = createTurns(now);
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
