import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { pieceBytes, piecesOf } from './pieces.ts';

/** What was written into a file. */
export interface WrittenFile {
  readonly bytes: number;
  /** 64 lower-case hexadecimal digits. */
  readonly sha256: string;
}

/** A file that is being written, block by block. */
export interface FileWriter {
  write(block: Uint8Array | string): Promise<void>;
  /** Flushes it to the disk. */
  close(): Promise<WrittenFile>;
  /** Lets go of it as it is. Does nothing once it is closed. */
  abandon(): Promise<void>;
}

/**
 * Opens a new file to be written in pieces, which are hashed on the way; a block may be larger than 2³¹ bytes.
 *
 * @throws errors of the system as they are: `EEXIST` where there is such a file.
 * @example
 * const writer = await openFileWriter('facts.bin');
 * await writer.write(bytes);
 * const written = await writer.close();
 */
export async function openFileWriter(path: string, size: number = pieceBytes): Promise<FileWriter> {
  const file = await open(path, 'wx');
  const hash = createHash('sha256');
  let bytes = 0;
  let isOpen = true;
  const release = async (): Promise<void> => {
    if (!isOpen) return;
    isOpen = false;
    await file.close();
  };
  return {
    async write(block) {
      for (const piece of piecesOf(typeof block === 'string' ? Buffer.from(block) : block, size)) {
        hash.update(piece);
        await file.writeFile(piece);
        bytes += piece.length;
      }
    },
    async close() {
      await file.sync();
      await release();
      return { bytes, sha256: hash.digest('hex') };
    },
    abandon: release,
  };
}
