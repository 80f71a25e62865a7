import { wrong } from './wrong.ts';

/** Throws 'bundle' where a name occurs twice; `path` says what has the name. */
export function noneTwice(names: readonly string[], path: (name: string) => string): void {
  const seen = new Set<string>();
  for (const name of names) {
    if (seen.has(name)) wrong(path(name), 'it occurs twice');
    seen.add(name);
  }
}
