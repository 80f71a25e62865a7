import { access } from 'node:fs/promises';

/** Whether there is a file or a folder at a path. */
export function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
