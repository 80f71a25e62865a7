import { expect, it } from 'vitest';
import { degreesAt, listSet } from './listed-set.ts';

const degrees = Float32Array.of(0.5, 0, 0.25, 1, 0.75, 0.25);

it('lists the members above a floor that rises, in the order of ids', () => {
  const set = listSet(degrees);
  expect([...set.above(0)]).toEqual([0, 2, 3, 4, 5]);
  expect([...set.above(0.25)]).toEqual([0, 3, 4]);
  expect([...set.above(0.25)]).toEqual([0, 3, 4]);
  expect([...set.above(1)]).toEqual([]);
  // A set that is first asked for late has the same members.
  expect([...listSet(degrees).above(0.25)]).toEqual([0, 3, 4]);
});

it('picks the degrees of some entities', () => {
  expect([...degreesAt(degrees, Int32Array.of(3, 1))]).toEqual([1, 0]);
});
