import { input, parameter } from '@fuzzqe/core/tensor';
import { describe, expect, it } from 'vitest';
import { stepsPerRun } from './steps-per-run.ts';

const masked = (entities: number) => [
  input('masked', 'bool', [848, entities]),
  input('rows', 'int', ['rows']),
];
const state = (entities: number, dimension: number) =>
  ['x', 'x.sum', 'x.squares'].map((name) => parameter(name, [entities, dimension]));

describe('steps in one run', () => {
  it.each([
    ['few where the state is small', 879, 64, 16],
    ['more where it is large', 14_505, 400, 49],
    ['96 at most', 10_000, 8192, 96],
    ['one where the feeds of two would not fit', 1_000_000, 64, 1],
    ['as many as have their feeds in a GiB', 100_000, 256, 12],
  ])('are %s', (_, entities, dimension, expected) => {
    expect(stepsPerRun({ parameters: state(entities, dimension), inputs: masked(entities) })).toBe(expected);
  });
});
