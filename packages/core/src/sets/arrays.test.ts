import { expect, it } from 'vitest';
import { type Arrays, createArrayPool, newArrays } from './arrays.ts';

const zeros = (length: number): Float32Array => new Float32Array(length);

it('arrays serve the next call, as zeros again', async () => {
  const pool = createArrayPool(100);
  const first = await pool.during(async ({ take }) => take(4).fill(7));
  await pool.during(async ({ take }) => {
    expect(take(5)).not.toBe(first);
    const again = take(4);
    expect(again).toBe(first);
    expect(again).toEqual(zeros(4));
  });
});

it('an array that was given back serves the same call once, and that of nobody is let go', async () => {
  const pool = createArrayPool(100);
  await pool.during(async ({ take, giveBack }) => {
    const one = take(3);
    giveBack(one);
    giveBack(one);
    giveBack(zeros(3));
    const [other, another] = [take(3), take(3)];
    expect(other).toBe(one);
    expect(another).not.toBe(one);
  });
});

it('calls at the same time share no array, and one that fails gives its arrays back', async () => {
  const pool = createArrayPool(100);
  let release = (): void => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  let early: Float32Array | undefined;
  const long = pool.during(async ({ take }) => {
    early = take(2).fill(1);
    await held;
    expect(early).toEqual(zeros(2).fill(1));
  });
  let failed: Float32Array | undefined;
  await expect(
    pool.during(async ({ take }) => {
      failed = take(2);
      throw new Error('refused');
    }),
  ).rejects.toThrow('refused');
  expect(failed).not.toBe(early);
  await pool.during(async ({ take }) => expect(take(2)).toBe(failed));
  release();
  await long;
});

it('no more numbers are kept than were allowed', async () => {
  const pool = createArrayPool(10);
  const taken = (sizes: readonly number[]) => (arrays: Arrays) =>
    Promise.resolve(sizes.map((size) => arrays.take(size)));
  const [six, five, four] = await pool.during(taken([6, 5, 4]));
  const [sixAgain, fiveAgain, fourAgain] = await pool.during(taken([6, 5, 4]));
  expect([sixAgain === six, fiveAgain === five, fourAgain === four]).toEqual([true, false, true]);
});

it('without a pool each is new', () => {
  const one = newArrays.take(2);
  newArrays.giveBack(one);
  expect(newArrays.take(2)).not.toBe(one);
});
