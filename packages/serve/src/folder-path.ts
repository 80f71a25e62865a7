import { resolve } from 'node:path';
import { describeValue, FuzzError } from '@fuzzqe/core';

/**
 * The whole path of the folder of a bundle: an empty one would be the folder in which the process runs.
 *
 * @throws FuzzError `usage`: what is no path.
 */
export function folderPath(directory: unknown): string {
  if (typeof directory === 'string' && directory !== '') return resolve(directory);
  throw new FuzzError('usage', `directory: expected the path of a bundle, got ${describeValue(directory)}`, {
    path: '$.directory',
    hint: "Give the folder that `fuzzqe export` made, as './bundle'.",
  });
}
