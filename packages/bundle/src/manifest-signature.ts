import { FuzzError } from '@fuzzqe/core';
import { bundlePaths } from './manifest.ts';
import { platform, sha256Hex } from './platform.ts';
import type { BundleSource } from './read-bundle.ts';

/** The signature of the manifest: 64 bytes by Ed25519 over the bytes of `manifest.json`. Only signed bundles have it. */
export const signaturePath = 'manifest.json.sig';

/** How many bytes a signature by Ed25519 has. */
const signatureBytes = 64;

/** What stands before the 32 bytes of an Ed25519 public key in DER. Source: RFC 8410, section 4. */
const keyPrefix = [0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00];

/**
 * Compares the bytes of a manifest with their signature.
 *
 * @throws FuzzError `bundle`: the signature is missing, damaged, or of another key or manifest. `usage`: the key is no
 * Ed25519 public key in PEM. `runtime`: WebCrypto has no Ed25519 here. What `source` throws that passes by itself.
 */
export async function checkManifestSignature(
  source: BundleSource,
  manifest: Uint8Array,
  publicKey: string,
): Promise<void> {
  const key = publicKeyOf(publicKey);
  const refuse = (message: string, hint: string, cause?: unknown): FuzzError =>
    new FuzzError('bundle', `signature: ${message}`, { path: signaturePath, hint, cause });
  const signature = await source.read(signaturePath, signatureBytes).catch((cause: unknown) => {
    // What passes says nothing of the signature.
    if (!(cause instanceof FuzzError) || cause.passing) throw cause;
    throw refuse(
      `expected ${signatureBytes} bytes, got none that can be read: ${cause.message}`,
      'Sign the bundle with `fuzzqe sign`.',
      cause,
    );
  });
  if (signature.length !== signatureBytes)
    throw refuse(
      `damaged: expected ${signatureBytes} bytes, got ${signature.length}`,
      'Sign or download the bundle again.',
    );
  if (!(await isSigned(key, signature, manifest)))
    throw refuse(
      `expected one of ${bundlePaths.manifest} by the key ${await keyName(key)}, got one by another key or of another manifest`,
      'The bundle was changed after it was signed, or somebody else signed it: do not use it unless you know who.',
    );
}

async function isSigned(key: Uint8Array, signature: Uint8Array, manifest: Uint8Array): Promise<boolean> {
  const { subtle } = platform.crypto;
  const imported = await subtle
    .importKey('raw', key, 'Ed25519', false, ['verify'])
    .catch((cause: unknown) => {
      throw new FuzzError('runtime', `signature: this runtime cannot check Ed25519: ${cause}`, {
        hint: 'Use a newer browser or runtime, or check the bundle elsewhere before it is served.',
        cause,
      });
    });
  return subtle.verify('Ed25519', imported, signature, manifest);
}

/**
 * The first 16 digits of the SHA-256 of a key, for people to compare.
 *
 * @example
 * const name = await keyName(publicKeyOf(text));
 */
export async function keyName(key: Uint8Array): Promise<string> {
  return (await sha256Hex(key)).slice(0, 16);
}

/**
 * The 32 bytes of an Ed25519 public key in PEM.
 *
 * @throws FuzzError `usage`: something else, without a word of what it says: it may be a private key.
 * @example
 * const key = publicKeyOf(text);
 */
export function publicKeyOf(pem: string): Uint8Array {
  const body = /^\s*-----BEGIN PUBLIC KEY-----([A-Za-z0-9+/=\s]+)-----END PUBLIC KEY-----\s*$/.exec(pem)?.[1];
  const der = body === undefined ? undefined : bytesOf(body.replace(/\s/g, ''));
  if (der?.length === keyPrefix.length + 32 && keyPrefix.every((byte, i) => der[i] === byte))
    return der.subarray(keyPrefix.length);
  throw new FuzzError('usage', 'expected an Ed25519 public key in PEM, got something else', {
    path: 'public key',
    hint: 'Make one with `openssl pkey -in key.pem -pubout -out public.pem`.',
  });
}

function bytesOf(base64: string): Uint8Array | undefined {
  try {
    return Uint8Array.from(platform.atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
