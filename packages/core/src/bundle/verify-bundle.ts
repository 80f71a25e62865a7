import { FuzzError } from '../errors.ts';
import { bundlePaths, type FileEntry, type Manifest } from './manifest.ts';
import { sha256Hex } from './platform.ts';
import { type BundleSource, readManifest } from './read-bundle.ts';

/**
 * Reads a bundle's manifest and compares every file with it: that it is there, its size and its digest.
 *
 * Where the source can list its files, one that the manifest does not name is an error too. All that is wrong is
 * said at once.
 *
 * @throws FuzzError `bundle`: the manifest itself, or files that are missing, cut off, altered or extra.
 */
export async function verifyBundle(source: BundleSource): Promise<Manifest> {
  const manifest = await readManifest(source);
  const problems: string[] = [];
  // One file after the other: two weight files at once would need twice the memory.
  for (const [path, entry] of Object.entries(manifest.files)) {
    const problem = await compareFile(source, path, entry);
    if (problem !== undefined) problems.push(`${path}: ${problem}`);
  }
  const extra = (await source.list?.())?.filter(
    (path) => path !== bundlePaths.manifest && !Object.hasOwn(manifest.files, path),
  );
  for (const path of extra ?? [])
    problems.push(`${path}: expected no such file, the manifest does not name it`);
  if (problems.length === 0) return manifest;
  const list = problems.length === 1 ? ` ${problems[0]}` : problems.map((line) => `\n  ${line}`).join('');
  throw new FuzzError('bundle', `files that are not those of the manifest:${list}`, {
    path: source.location,
    hint: 'Export or download the bundle again.',
  });
}

async function compareFile(
  source: BundleSource,
  path: string,
  expected: FileEntry,
): Promise<string | undefined> {
  let got: FileEntry;
  try {
    got = await measure(source, path);
  } catch (cause) {
    if (cause instanceof FuzzError && cause.code === 'bundle') return `cannot be read: ${cause.message}`;
    throw cause;
  }
  if (got.bytes < expected.bytes) return `cut off: expected ${expected.bytes} bytes, got ${got.bytes}`;
  if (got.bytes > expected.bytes) return `too long: expected ${expected.bytes} bytes, got ${got.bytes}`;
  if (got.sha256 !== expected.sha256) return `altered: expected sha256 ${expected.sha256}, got ${got.sha256}`;
  return undefined;
}

async function measure(source: BundleSource, path: string): Promise<FileEntry> {
  if (source.measure !== undefined) return source.measure(path);
  const bytes = await source.read(path);
  return { bytes: bytes.length, sha256: await sha256Hex(bytes) };
}
