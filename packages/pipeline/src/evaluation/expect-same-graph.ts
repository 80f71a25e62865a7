import { FuzzError } from '@fuzzqe/core';

/** Throws 'checkpoint' unless a model was trained on the graph with the expected digest, where one is expected. */
export function expectSameGraph(path: string, expected: string | undefined, found: string): void {
  if (expected !== undefined && found !== expected)
    throw new FuzzError('checkpoint', 'the model was trained on another graph than this data set', {
      path,
      hint: `expected the graph ${expected.slice(0, 12)}…, the model says ${found.slice(0, 12)}…`,
    });
}
