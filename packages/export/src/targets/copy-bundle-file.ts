import { join } from 'node:path';
import { FuzzError } from '@fuzzqe/core';
import { openRegularFile, pieceBytes, readFully } from '@fuzzqe/files';
import type { FolderWriter } from '../files/folder-writer.ts';
import { throwIfAborted } from '../weights/write-weights.ts';

/** A file of a bundle in a folder, and the digest that the manifest gives of it. */
export interface FileOfBundle {
  readonly folder: string;
  readonly path: string;
  readonly sha256: string;
}

/**
 * Copies a file of a bundle in pieces, since weights may be larger than memory.
 *
 * @throws FuzzError `bundle`: it is not the file of the manifest. `storage`: the disk refuses. `interrupted`.
 */
export async function copyBundleFile(
  writer: FolderWriter,
  { folder, path, sha256 }: FileOfBundle,
  to: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { handle, bytes } = await openRegularFile(join(folder, ...path.split('/')), 'bundle');
  try {
    const target = await writer.open(to);
    for (let at = 0; at < bytes; at += pieceBytes) {
      throwIfAborted(signal);
      const piece = new Uint8Array(Math.min(pieceBytes, bytes - at));
      await readFully(handle, piece, at, { path });
      await target.write(piece);
    }
    await target.close();
  } finally {
    await handle.close();
  }
  const got = writer.files[to]!.sha256;
  if (got !== sha256)
    throw new FuzzError('bundle', `expected a file with sha256 ${sha256}, got ${got}`, {
      path,
      hint: 'The bundle is damaged; export or download it again.',
    });
}
