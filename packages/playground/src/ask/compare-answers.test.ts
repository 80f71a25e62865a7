import { asEntityId } from '@fuzzqe/core';
import type { SetsAnswer } from '@fuzzqe/engine';
import { expect, it } from 'vitest';
import { compareAnswers } from './compare-answers.ts';

const [x, y, z] = [0, 1, 2];
/** The comparison reads ids and degrees alone. */
const answer = (...answers: readonly (readonly [number, number])[]): SetsAnswer =>
  ({
    answers: answers.slice(0, 1).map(([id, degree]) => ({ id: asEntityId(id), degree })),
    suggestions: answers.slice(1).map(([id, degree]) => ({ id: asEntityId(id), degree })),
  }) as unknown as SetsAnswer;

it.each([
  [
    'the same',
    [
      [y, 0.8],
      [x, 0.5],
    ],
    [
      [y, 0.8],
      [x, 0.5],
    ],
    true,
    0,
  ],
  [
    'rounded otherwise',
    [
      [y, 0.8],
      [x, 0.8],
    ],
    [
      [x, 0.80005],
      [y, 0.8],
    ],
    true,
    0.00005,
  ],
  [
    'a tie at the cut',
    [
      [y, 0.8],
      [x, 0.5],
    ],
    [
      [y, 0.8],
      [z, 0.5],
    ],
    true,
    0,
  ],
  [
    'another entity above the cut',
    [
      [y, 0.8],
      [x, 0.5],
    ],
    [
      [z, 0.8],
      [x, 0.5],
    ],
    false,
    0.3,
  ],
  [
    'another entity at the cut',
    [
      [y, 0.8],
      [x, 0.5],
    ],
    [
      [y, 0.8],
      [z, 0.6],
    ],
    false,
    0.1,
  ],
  ['another degree', [[y, 0.8]], [[y, 0.7]], false, 0.1],
  [
    'one less',
    [
      [y, 0.8],
      [x, 0.8],
    ],
    [[y, 0.8]],
    false,
    0,
  ],
  ['none', [], [], true, 0],
] as const)('tells whether two answers agree: %s', (_, a, b, agree, difference) => {
  for (const found of [
    compareAnswers(answer(...a), answer(...b)),
    compareAnswers(answer(...b), answer(...a)),
  ]) {
    expect(found.agree).toBe(agree);
    expect(found.difference).toBeCloseTo(difference, 10);
  }
});
