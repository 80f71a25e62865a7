import { readdir } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';

/** Every file and link below a folder, sorted, as paths from the folder with `/` between folders. */
export async function listFiles(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(directory, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .sort();
}
