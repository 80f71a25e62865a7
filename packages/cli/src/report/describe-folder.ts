import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { formatBytes } from './format-bytes.ts';

/** `34 files, 764 kB`: all that lies in a folder, of a bundle its manifest as well, which names only the others. */
export function describeFolder(directory: string): string {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((each) =>
    each.isFile(),
  );
  const bytes = files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
  return `${files.length} files, ${formatBytes(bytes)}`;
}
