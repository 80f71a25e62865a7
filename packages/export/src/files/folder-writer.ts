import { createHash } from 'node:crypto';
import { mkdir, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { FileEntry } from '@fuzzqe/core';

/** Writes files into a folder and keeps account of them. */
export interface FolderWriter {
  readonly directory: string;
  /** What was written so far, by path, `/` between folders. */
  readonly files: Readonly<Record<string, FileEntry>>;
  /** Writes a file, flushed to the disk, in one piece or block by block. */
  write(path: string, content: string | Uint8Array | Iterable<Uint8Array>): Promise<void>;
}

/** A writer into an existing folder. */
export function folderWriter(directory: string): FolderWriter {
  const files: Record<string, FileEntry> = {};
  return {
    directory,
    files,
    async write(path, content) {
      const target = join(directory, path);
      await mkdir(dirname(target), { recursive: true });
      const hash = createHash('sha256');
      let bytes = 0;
      const file = await open(target, 'wx');
      try {
        for (const block of blocksOf(content)) {
          hash.update(block);
          bytes += block.length;
          await file.writeFile(block);
        }
        await file.sync();
      } finally {
        await file.close();
      }
      files[path] = { bytes, sha256: hash.digest('hex') };
    },
  };
}

function blocksOf(content: string | Uint8Array | Iterable<Uint8Array>): Iterable<Uint8Array> {
  if (typeof content === 'string') return [new TextEncoder().encode(content)];
  return content instanceof Uint8Array ? [content] : content;
}
