import { readFile } from 'node:fs/promises';
import { describeValue, FuzzError } from '@fuzzqe/core';
import { readError } from '../files/read-bytes.ts';
import { PickleClass, PickleDict, PickleSet, type PickleValue } from '../pickle/pickle-value.ts';
import { unpickle } from '../pickle/unpickle.ts';

/**
 * Reads a file that holds a pickled dict.
 *
 * @throws FuzzError `data`: what `unpickle` throws; a file that cannot be read, or holds something else.
 */
export async function readPickledDict(path: string): Promise<PickleDict> {
  const bytes = await readFile(path).catch((cause: unknown) => {
    throw readError(path, cause);
  });
  const value = unpickle(bytes, path);
  if (value instanceof PickleDict) return value;
  throw unexpectedValue('a dict', value, path);
}

/** Says what of a pickle is not as it should be. */
export function unexpectedValue(expected: string, value: PickleValue | undefined, path: string): FuzzError {
  return new FuzzError('data', `pickle: expected ${expected}, got ${describePickled(value)}`, {
    path,
    hint: 'Is it a file of the BetaE layout, under the name that it has there?',
  });
}

function describePickled(value: PickleValue | undefined): string {
  if (value instanceof PickleDict) return 'a dict';
  if (value instanceof PickleSet) return 'a set';
  if (value instanceof PickleClass) return `the class ${value.name}`;
  return describeValue(value);
}
