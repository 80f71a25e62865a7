import { FuzzError } from '@fuzzqe/core';

/** Ends a check: where in the model, and what is wrong there. */
export function wrong(path: string, message: string): never {
  throw new FuzzError('bundle', message, { path });
}
