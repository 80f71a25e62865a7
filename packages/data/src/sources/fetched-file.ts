import { type FileHandle, open } from 'node:fs/promises';
import { storageError } from '@fuzzqe/files';

/** The file that was made of a source. */
export interface FetchedFile {
  /** Its ending tells its form. */
  readonly path: string;
  /** Whether its first line is one of titles, whatever it looks like. */
  readonly isTitled: boolean;
  /** What a person should know about how values became texts. */
  readonly notes: readonly string[];
}

/** A file that bytes are added to. */
export interface FileSink {
  readonly bytes: number;
  add(bytes: Uint8Array): Promise<void>;
  close(): Promise<void>;
}

/** Opens a new file. Throws FuzzError `storage`, as `add` does: the folder of temporary files is full or cannot be written. */
export async function openFileSink(path: string): Promise<FileSink> {
  const asStorage = async <T>(act: Promise<T>): Promise<T> => {
    try {
      return await act;
    } catch (cause) {
      throw storageError('source: cannot be kept in a temporary file', path, cause);
    }
  };
  const file: FileHandle = await asStorage(open(path, 'wx'));
  let bytes = 0;
  return {
    get bytes() {
      return bytes;
    },
    async add(more) {
      await asStorage(file.writeFile(more));
      bytes += more.length;
    },
    close: () => file.close(),
  };
}
