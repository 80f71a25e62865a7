import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bundlePaths, keyName, signaturePath } from '@fuzzqe/bundle';
import { FuzzError } from '@fuzzqe/core';
import { writeFileWhole } from '@fuzzqe/files';

/**
 * Signs the manifest of a bundle by Ed25519, in `manifest.json.sig` next to it, and returns the name of the key.
 *
 * The manifest has the digest of every file, so the signature is of the whole bundle; whether its files are those of the
 * manifest, `verifyBundle` says.
 *
 * @throws FuzzError `usage`: the key is no Ed25519 private key in PEM. `bundle`: there is no manifest. `storage`: the disk
 * refuses.
 */
export async function signBundle(directory: string, privateKey: string): Promise<string> {
  const key = privateKeyOf(privateKey);
  const path = join(directory, bundlePaths.manifest);
  const manifest = await readFile(path).catch((cause: unknown) => {
    throw new FuzzError('bundle', 'expected a manifest, got none that can be read', {
      path,
      hint: 'Give the folder of a bundle.',
      cause,
    });
  });
  await writeFileWhole(join(directory, signaturePath), sign(null, manifest, key));
  const { x = '' } = createPublicKey(key).export({ format: 'jwk' });
  return keyName(Buffer.from(x, 'base64url'));
}

/** Nothing of a key is ever said: it is a secret, and what is none may be one of something else. */
function privateKeyOf(pem: string): KeyObject {
  let key: KeyObject | undefined;
  try {
    key = createPrivateKey(pem);
  } catch {
    key = undefined;
  }
  if (key?.asymmetricKeyType === 'ed25519') return key;
  throw new FuzzError(
    'usage',
    'expected an Ed25519 private key in PEM without a passphrase, got something else',
    {
      path: 'private key',
      hint: 'Make one with `openssl genpkey -algorithm ed25519 -out key.pem`.',
    },
  );
}
