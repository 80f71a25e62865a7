import { FuzzError } from '@fuzzqe/core';

/** Throws 'bundle': where in the model, and what is wrong there. */
export function invalid(path: string, message: string): never {
  throw new FuzzError('bundle', message, { path });
}

/** Throws 'bundle' where a name occurs twice; `path` says what has the name. */
export function expectUnique(names: readonly string[], path: (name: string) => string): void {
  const seen = new Set<string>();
  for (const name of names) {
    if (seen.has(name)) invalid(path(name), 'it occurs twice');
    seen.add(name);
  }
}
