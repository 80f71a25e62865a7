import { FuzzError } from '@fuzzqe/core';
import { bundlePaths, type Manifest } from './manifest.ts';
import { platform, sha256Hex } from './platform.ts';

const digits = 64;
const [zero, quote] = [0x30, 0x22];

/** What a digest of a manifest looks like. */
export const sealForm: RegExp = /^[0-9a-f]{64}$/;

/**
 * The bytes of `manifest.json`: JSON with a digest of itself, over its own bytes with the digits of that digest zero.
 *
 * A manifest so tells that any byte of it was altered, with no second file that could be lost or of another bundle.
 *
 * @example
 * const { sha256, ...unsealed } = manifest;
 * const sealed = await sealManifest(unsealed);
 */
export async function sealManifest(manifest: Omit<Manifest, 'sha256'>): Promise<Uint8Array> {
  const { format, version, ...rest } = manifest;
  const sha256 = '0'.repeat(digits);
  // Its key is among the first, before whatever else might hold 64 zeros.
  const open = { format, version, sha256, ...rest };
  const bytes = new platform.TextEncoder().encode(`${JSON.stringify(open, null, 2)}\n`);
  const at = placeOf(bytes, sha256)!;
  bytes.set(new platform.TextEncoder().encode(await sha256Hex(bytes)), at);
  return bytes;
}

/**
 * Compares a manifest with the digest that it gives of itself.
 *
 * @throws FuzzError `bundle`: it was altered.
 */
export async function checkSeal(bytes: Uint8Array, sha256: string): Promise<void> {
  const at = placeOf(bytes, sha256);
  const blank = Uint8Array.from(bytes);
  // Digits that are not there as they are were written with escapes, which no writer does.
  if (at !== undefined) blank.fill(zero, at, at + digits);
  const got = await sha256Hex(blank);
  if (at === undefined || got !== sha256)
    throw new FuzzError('bundle', `altered: expected sha256 ${sha256}, got ${got}`, {
      path: bundlePaths.manifest,
      hint: 'Export or download the bundle again.',
    });
}

/** Where ASCII text first stands between quotes; in linear time, since a comparison ends at the next quote. */
function placeOf(bytes: Uint8Array, text: string): number | undefined {
  const wanted = new platform.TextEncoder().encode(`"${text}"`);
  for (let at = bytes.indexOf(quote); at >= 0; at = bytes.indexOf(quote, at + 1))
    if (wanted.every((byte, i) => bytes[at + i] === byte)) return at + 1;
  return undefined;
}
