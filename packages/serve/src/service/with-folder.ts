import { isAbsolute, join } from 'node:path';
import { FuzzError } from '@fuzzqe/core';

/** An error about a file of a bundle, by the folder that the bundle lies in: a server may have several, each with a `manifest.json`. */
export function withFolder(error: unknown, folder: string): unknown {
  if (!(error instanceof FuzzError) || error.code !== 'bundle') return error;
  const { code, message, path, hint, passing } = error;
  if (path !== undefined && isAbsolute(path)) return error;
  return new FuzzError(code, message, {
    path: path === undefined ? folder : join(folder, path),
    ...(hint === undefined ? {} : { hint }),
    passing,
    cause: error,
  });
}
