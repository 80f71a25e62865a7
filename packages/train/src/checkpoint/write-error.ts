import { FuzzError } from '@fuzzqe/core';

/** The error for a file that could not be written; `kept` says what is not lost by it. */
export function writeError(path: string, cause: unknown, kept: string): FuzzError {
  const code = (cause as NodeJS.ErrnoException).code ?? String(cause);
  const full = code === 'ENOSPC' || code === 'EDQUOT';
  return new FuzzError('data', `cannot write the file: ${full ? `the disk is full (${code})` : code}`, {
    path,
    hint: full ? `make room and try again; ${kept}` : `check the folder and its permissions; ${kept}`,
    cause,
  });
}
