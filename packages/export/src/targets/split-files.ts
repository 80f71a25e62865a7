import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { FileEntry, FilePart, ListedFile } from '@fuzzqe/bundle';
import { readFully } from '@fuzzqe/files';
import type { FolderWriter } from '../files/folder-writer.ts';

/** How much of a file is in memory at once. */
const blockBytes = 2 ** 20;

/**
 * Cuts files that are too large for one into parts next to them, `weights.bin.0`, `weights.bin.1`, …, and removes them.
 *
 * Returns the files of the manifest: those that were cut, with their parts, and the others as they were.
 */
export async function splitFiles(
  directory: string,
  files: Readonly<Record<string, FileEntry>>,
  writer: Pick<FolderWriter, 'open' | 'files'>,
  partBytes: number,
): Promise<Record<string, ListedFile>> {
  const listed: Record<string, ListedFile> = {};
  for (const [path, file] of Object.entries({ ...files }))
    listed[path] =
      file.bytes <= partBytes
        ? file
        : { ...file, parts: await cut(join(directory, path), path, file, writer, partBytes) };
  return listed;
}

async function cut(
  source: string,
  path: string,
  { bytes }: FileEntry,
  writer: Pick<FolderWriter, 'open' | 'files'>,
  partBytes: number,
): Promise<FilePart[]> {
  const parts: FilePart[] = [];
  const file = await open(source, 'r');
  try {
    for (let start = 0; start < bytes; start += partBytes) {
      const name = `${path}.${parts.length}`;
      const end = Math.min(bytes, start + partBytes);
      const part = await writer.open(name);
      for (let at = start; at < end; at += blockBytes) {
        const block = new Uint8Array(Math.min(blockBytes, end - at));
        await readFully(file, block, at, { path });
        await part.write(block);
      }
      await part.close();
      parts.push({ path: name, ...writer.files[name]! });
    }
  } finally {
    await file.close();
  }
  await rm(source);
  return parts;
}
