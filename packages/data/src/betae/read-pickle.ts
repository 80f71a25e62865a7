import { describeValue, FuzzError } from '@fuzzqe/core';
import { readWholeFile } from '@fuzzqe/files';
import { PickleClass, PickleDict, PickleSet, type PickleValue } from '../pickle/pickle-value.ts';
import { unpickle } from '../pickle/unpickle.ts';

/** A pickled dict, and the size of its file: what it holds in many places counts each time. */
export interface PickledFile {
  readonly dict: PickleDict;
  readonly bytes: number;
}

/**
 * Reads a file that holds a pickled dict.
 *
 * @throws FuzzError `data`: what `unpickle` throws; a file that cannot be read, or holds something else.
 */
export async function readPickledDict(path: string): Promise<PickledFile> {
  const content = await readWholeFile(path);
  const dict = unpickle(content, path);
  if (dict instanceof PickleDict) return { dict, bytes: content.length };
  throw unexpectedValue('a dict', dict, path);
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
  if (typeof value === 'object' && value !== null) return `a tuple or list of ${value.length}`;
  return describeValue(value);
}
