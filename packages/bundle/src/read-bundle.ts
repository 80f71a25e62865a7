import { FuzzError, messageOf } from '@fuzzqe/core';
import type { Golden } from './golden.ts';
import { bundlePaths, type FileEntry, type Manifest, profileOf } from './manifest.ts';
import { checkSeal, sealForm } from './manifest-seal.ts';
import { checkManifestSignature } from './manifest-signature.ts';
import { parseGolden } from './parse-golden.ts';
import { checkFormat, parseManifest } from './parse-manifest.ts';
import { platform } from './platform.ts';

/** Where a bundle's files come from: a folder, fetch, assets of a Worker, a bucket. */
export interface BundleSource {
  /** For messages: a folder or an address. */
  readonly location: string;
  /**
   * The bytes of one file.
   * `sha256` says which bytes are wanted, for sources that keep copies; anyone who reads compares them.
   *
   * @throws FuzzError `bundle`: it is missing, or has more than `most` bytes, before it reads them.
   */
  read(path: string, most?: number, sha256?: string): Promise<Uint8Array>;
  /** Only sources that keep copies have it: forgets one that turned out to be damaged. */
  discard?(path: string, sha256: string): Promise<void>;
  /** Hears that a bundle is open: of all that was kept for later, this manifest's is whole, and older copies are not needed. */
  keep?(manifest: Manifest): Promise<void>;
  /** Every file there, as paths from the bundle's root; left out where the source cannot tell. */
  list?(): Promise<readonly string[]>;
  /**
   * Size and digest of a file, for sources that need not hold all of it at once; of one with more than `most` bytes the size
   * alone. Throws: as `read`.
   */
  measure?(path: string, most?: number): Promise<FileEntry>;
  /**
   * Only sources that compare files with a manifest have it: for runtimes that open a file by its path, not by its bytes.
   *
   * @throws FuzzError `bundle`: unless the file is the one that the manifest names.
   */
  verify?(path: string): Promise<void>;
}

/** What a reader asks of a bundle in addition to its form. */
export interface ManifestOptions {
  /** An Ed25519 public key in PEM: only a manifest that was signed with its private key is read. Default: any is. */
  readonly requireSignature?: string;
}

/** A manifest says little about each file and relation; one that is larger is none. In bytes. */
const largestManifest = 16 * 2 ** 20;

/**
 * Reads the manifest of a bundle.
 *
 * @throws FuzzError `bundle`: it is missing, altered, too new, or not signed as it has to be. `usage`: a key that is none.
 * @example
 * const { name, version } = await readManifest(source);
 */
export async function readManifest(source: BundleSource, options: ManifestOptions = {}): Promise<Manifest> {
  const bytes = await source.read(bundlePaths.manifest, largestManifest);
  const { requireSignature } = options;
  // Before anything in it is looked at.
  if (requireSignature !== undefined) await checkManifestSignature(source, bytes, requireSignature);
  const json = jsonOf(source, bundlePaths.manifest, bytes);
  checkFormat(json);
  const { sha256 } = json as { readonly sha256?: unknown };
  // Where there is none, or none that could be one, there is an issue to come.
  if (typeof sha256 === 'string' && sealForm.test(sha256)) await checkSeal(bytes, sha256);
  return parseManifest(json);
}

/**
 * Reads the golden cases of a profile.
 *
 * @throws FuzzError `bundle`: they are missing, damaged or of another model. `usage`: no such profile.
 * @example
 * const golden = await readGolden(source, manifest, 'fp32');
 */
export async function readGolden(source: BundleSource, manifest: Manifest, profile: string): Promise<Golden> {
  const path = profileOf(manifest, profile).golden;
  return parseGolden(jsonOf(source, path, await source.read(path)), manifest.model, path);
}

/**
 * Reads a text file of a bundle.
 *
 * @throws FuzzError `bundle`: it is missing or not UTF-8.
 */
export async function readBundleText(source: BundleSource, path: string): Promise<string> {
  return decodeBundleText(source, path, await source.read(path));
}

/**
 * Bytes of a file of a bundle as text.
 *
 * @throws FuzzError `bundle`: they are not UTF-8.
 */
export function decodeBundleText(source: BundleSource, path: string, bytes: Uint8Array): string {
  try {
    return new platform.TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw damaged(source, path, 'expected UTF-8 text, got other bytes', cause);
  }
}

function jsonOf(source: BundleSource, path: string, bytes: Uint8Array): unknown {
  const text = decodeBundleText(source, path, bytes);
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw damaged(source, path, `expected JSON: ${messageOf(cause)}`, cause);
  }
}

function damaged(source: BundleSource, path: string, message: string, cause: unknown): FuzzError {
  return new FuzzError('bundle', message, {
    path,
    hint: `The bundle at ${source.location} is damaged; export or download it again.`,
    cause,
  });
}
