import { FuzzError } from '@fuzzqe/core';
import { verifyBundle } from '@fuzzqe/core/bundle';
import { signBundle } from '@fuzzqe/export';
import { bundleFolder, folderSource } from '@fuzzqe/serve';
import { atPath, readKey } from '../options/read-key.ts';
import type { NextCommand } from '../terminal/next-command.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** What `fuzzqe sign` was told. */
export interface SignFlags {
  /** A file. */
  readonly key: string;
}

/** Does `fuzzqe sign`: a bundle that is damaged is not signed. */
export async function signAt(terminal: Terminal, bundle: string, { key }: SignFlags): Promise<NextCommand> {
  const secret = await readKey(key);
  const folder = await bundleFolder(bundle, { onNote: terminal.note });
  const { name } = await verifyBundle(folderSource(folder));
  const signer = await signBundle(folder, secret).catch((cause: unknown) => {
    throw cause instanceof FuzzError && cause.code === 'usage' ? atPath(cause, key) : cause;
  });
  terminal.note(`Signed ${name} with the key ${signer}`);
  return ['serve', bundle, '--require-signature', '…'];
}
