import type { FileHandle } from 'node:fs/promises';
import { FuzzError } from '@fuzzqe/core';

/** Bytes that are read, written and hashed by one call: Node's own limit is 2³¹ − 1, and larger ones gain nothing. */
export const pieceBytes: number = 64 * 2 ** 20;

/**
 * Bytes as views of at most `size` bytes each, in order; nothing is copied.
 *
 * @example
 * for (const piece of piecesOf(bytes, 1024)) console.log(piece.length);
 */
export function* piecesOf(bytes: Uint8Array, size: number = pieceBytes): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/**
 * Fills `target` with the bytes of an open file from `position` on, piece by piece; `onPiece` sees each once, in order.
 *
 * @throws FuzzError `data`: the file ends before that.
 * @example
 * const { handle } = await openRegularFile('facts.bin');
 * await readFully(handle, bytes, 0, { path: 'facts.bin' });
 */
export async function readFully(
  file: FileHandle,
  target: Uint8Array,
  position: number,
  {
    path,
    size = pieceBytes,
    onPiece,
  }: {
    readonly path: string;
    readonly size?: number;
    readonly onPiece?: (piece: Uint8Array) => void;
  },
): Promise<void> {
  let at = position;
  for (const piece of piecesOf(target, size)) {
    // One read may give less than was asked for.
    for (let done = 0; done < piece.length; ) {
      const { bytesRead } = await file.read(piece, done, piece.length - done, at + done);
      if (bytesRead === 0)
        throw new FuzzError(
          'data',
          `file: expected ${position + target.length} bytes, it ends at ${at + done}`,
          {
            path,
            hint: 'The file is cut off, or was changed while it was read.',
          },
        );
      done += bytesRead;
    }
    onPiece?.(piece);
    at += piece.length;
  }
}
