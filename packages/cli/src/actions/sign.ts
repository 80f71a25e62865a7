import { verifyBundle } from '@fuzzqe/bundle';
import { FuzzError } from '@fuzzqe/core';
import { signBundle } from '@fuzzqe/export';
import { bundleFolder, folderSource, isHubAddress } from '@fuzzqe/serve';
import { atPath, readKey } from '../options/read-key.ts';
import type { NextCommand } from '../terminal/next-command.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** What `fuzzqe sign` was told. */
export interface SignFlags {
  /** A file. */
  readonly key: string;
}

/** Does `fuzzqe sign`: a bundle that is damaged is not signed, nor one in the cache. */
export async function signAt(terminal: Terminal, bundle: string, { key }: SignFlags): Promise<NextCommand> {
  if (isHubAddress(bundle))
    throw new FuzzError('usage', `expected a folder, got ${bundle}, whose copy in the cache others read`, {
      hint: 'Sign the folder that is uploaded, and upload manifest.json.sig with it; or copy the bundle first.',
    });
  const secret = await readKey(key);
  const folder = await bundleFolder(bundle, { onNote: terminal.note });
  const { name } = await verifyBundle(folderSource(folder));
  const signer = await signBundle(folder, secret).catch((cause: unknown) => {
    throw cause instanceof FuzzError && cause.code === 'usage' ? atPath(cause, key) : cause;
  });
  terminal.note(`Signed ${name} with the key ${signer}`);
  return ['serve', bundle, '--require-signature', '…'];
}
