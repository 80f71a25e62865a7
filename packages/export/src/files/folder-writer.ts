import { dirname, join } from 'node:path';
import type { FileEntry } from '@fuzzqe/bundle';
import { type FileWriter, makeFolder, openFileWriter } from '@fuzzqe/files';

/** A file of a folder that is being written, block by block. */
export interface FolderFile extends Pick<FileWriter, 'write'> {
  /** Flushes it to the disk. */
  close(): Promise<void>;
}

/** Writes files into a folder and keeps account of them. */
export interface FolderWriter {
  /** What was written so far, by path, `/` between folders. */
  readonly files: Readonly<Record<string, FileEntry>>;
  /** Writes a file, flushed to the disk. */
  write(path: string, content: string | Uint8Array): Promise<void>;
  /** Begins a file; it is among the files once it is closed. */
  open(path: string): Promise<FolderFile>;
  /** Lets go of files that were not closed; they stay as they are. */
  abandon(): Promise<void>;
}

/** A writer into an existing folder. */
export function folderWriter(directory: string): FolderWriter {
  const files: Record<string, FileEntry> = {};
  const opened = new Set<FileWriter>();

  const begin = async (path: string): Promise<FolderFile> => {
    const target = join(directory, path);
    await makeFolder(dirname(target));
    const file = await openFileWriter(target);
    opened.add(file);
    return {
      write: file.write,
      async close() {
        files[path] = await file.close();
        opened.delete(file);
      },
    };
  };

  return {
    files,
    open: begin,
    async write(path, content) {
      const file = await begin(path);
      await file.write(content);
      await file.close();
    },
    async abandon() {
      await Promise.all(Array.from(opened, (file) => file.abandon()));
      opened.clear();
    },
  };
}

/** A writer that writes nothing and says how large everything would be; digests are left empty. */
export function measuringWriter(): FolderWriter {
  const files: Record<string, FileEntry> = {};
  const begin = async (path: string): Promise<FolderFile> => {
    let bytes = 0;
    return {
      async write(block) {
        bytes += Buffer.byteLength(block);
      },
      async close() {
        files[path] = { bytes, sha256: '' };
      },
    };
  };
  return {
    files,
    open: begin,
    async write(path, content) {
      files[path] = { bytes: Buffer.byteLength(content), sha256: '' };
    },
    async abandon() {},
  };
}
