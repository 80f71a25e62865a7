import { type FileHandle, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Returns when what a folder names is on the disk: a new or renamed file lasts through a power cut only then. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await openFolder(path);
  if (folder === undefined) return;
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** The same for a folder and all below it, the lowest first. */
export async function syncFolders(path: string): Promise<void> {
  for (const entry of await readdir(path, { withFileTypes: true }))
    if (entry.isDirectory()) await syncFolders(join(path, entry.name));
  await syncFolder(path);
}

/** Windows opens no folder; there the rename itself has to do. */
async function openFolder(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, 'r');
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (process.platform === 'win32' && (code === 'EPERM' || code === 'EISDIR' || code === 'EACCES'))
      return undefined;
    throw cause;
  }
}
