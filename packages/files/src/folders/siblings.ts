import { randomUUID } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** What a folder next to another is for: to become it, to be replaced by it, or to be worked in meanwhile. */
export type SiblingPurpose = 'new' | 'old' | 'scratch';

/** A new name next to the target, on the same disk, so that a rename is one step. */
export function siblingOf(target: string, purpose: SiblingPurpose): string {
  return join(dirname(target), `${siblingPrefix(target, purpose)}${randomUUID()}`);
}

/** What lies next to the target for a purpose. */
export async function siblingsOf(target: string, purpose: SiblingPurpose): Promise<string[]> {
  const prefix = siblingPrefix(target, purpose);
  const names = await readdir(dirname(target)).catch(() => []);
  return names
    .filter((name) => name.startsWith(prefix) && /^[0-9a-f-]{36}$/.test(name.slice(prefix.length)))
    .map((name) => join(dirname(target), name));
}

/** What their names begin with. */
export function siblingPrefix(target: string, purpose: SiblingPurpose): string {
  return `.${basename(target)}.${purpose}-`;
}
