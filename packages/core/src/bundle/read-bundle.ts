import { FuzzError } from '../errors.ts';
import type { Golden } from './golden.ts';
import { bundlePaths, type Manifest } from './manifest.ts';
import { parseGolden } from './parse-golden.ts';
import { parseManifest } from './parse-manifest.ts';
import { platform } from './platform.ts';
import type { BundleSource } from './source.ts';

/** Reads the manifest of a bundle. Throws: 'bundle' where it is missing, damaged or too new. */
export async function readManifest(source: BundleSource): Promise<Manifest> {
  return parseManifest(await readBundleJson(source, bundlePaths.manifest));
}

/**
 * Reads the golden cases of a profile, or of the model in full precision where none is named.
 *
 * Throws: 'bundle' where they are missing, damaged or of another model.
 */
export async function readGolden(
  source: BundleSource,
  manifest: Manifest,
  profile?: string,
): Promise<Golden> {
  const path = profile === undefined ? undefined : manifest.profiles[profile]?.golden;
  return parseGolden(await readBundleJson(source, path ?? bundlePaths.golden), manifest.model);
}

/** Reads a text file of a bundle. Throws: 'bundle' where it is missing or not UTF-8. */
export async function readBundleText(source: BundleSource, path: string): Promise<string> {
  const bytes = await source.read(path);
  try {
    return new platform.TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw damaged(source, path, 'expected UTF-8 text, got other bytes', cause);
  }
}

async function readBundleJson(source: BundleSource, path: string): Promise<unknown> {
  const text = await readBundleText(source, path);
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw damaged(source, path, `expected JSON: ${cause instanceof Error ? cause.message : cause}`, cause);
  }
}

function damaged(source: BundleSource, path: string, message: string, cause: unknown): FuzzError {
  return new FuzzError('bundle', message, {
    path,
    hint: `The bundle at ${source.location} is damaged; export or download it again.`,
    cause,
  });
}
