import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Where in a folder of several seeds the run of one of them is. */
export function seedFolder(folder: string, seed: number): string {
  return join(folder, `seed-${seed}`);
}

/** The seeds that have a run in a folder, in order; none where there is no folder. */
export async function seedsIn(folder: string): Promise<number[]> {
  const names = await readdir(folder).catch(() => []);
  return names
    .flatMap((name) => /^seed-(\d+)$/.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b);
}
