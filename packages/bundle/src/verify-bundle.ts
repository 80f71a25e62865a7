import { FuzzError } from '@fuzzqe/core';
import { bundlePaths, type FileEntry, type Manifest, profileFiles, storedFiles } from './manifest.ts';
import { signaturePath } from './manifest-signature.ts';
import { sha256Hex } from './platform.ts';
import { type BundleSource, type ManifestOptions, readManifest } from './read-bundle.ts';

/**
 * Reads a bundle's manifest and compares every file of every profile with it: that it is there, its size and its digest.
 *
 * Where the source can list its files, one that the manifest does not name is an error too. All that is wrong is
 * said at once.
 *
 * @throws FuzzError `bundle`: the manifest itself, or files that are missing, cut off, altered or extra. `usage`: a key
 * that is none.
 * @example
 * const { name } = await verifyBundle(source, { requireSignature: text });
 */
export async function verifyBundle(source: BundleSource, options: ManifestOptions = {}): Promise<Manifest> {
  const manifest = await readManifest(source, options);
  const stored = storedFiles(manifest);
  await compareFiles(source, stored, Object.keys(stored));
  return manifest;
}

/**
 * Returns a source that gives nothing but the files of a manifest, byte for byte.
 *
 * `read` compares the bytes that it returns with their size and digest, every time. `verify` does the same, once a file, for
 * runtimes that open a file by its path. A source that can measure files has those of the profile and those that all
 * profiles share measured at once; any other is asked for no file that nobody needs. Files of other profiles are not looked
 * at; a file that the manifest does not name is an error where the source can list its files.
 *
 * @throws FuzzError `bundle`, now or from `read` and `verify`: files that are missing, cut off, altered or extra.
 * @example
 * const verified = await verifyProfile(source, manifest, 'fp32');
 */
export async function verifyProfile(
  source: BundleSource,
  manifest: Manifest,
  profile: string,
): Promise<BundleSource> {
  const stored = storedFiles(manifest);
  const needed = source.measure === undefined ? [] : filesOf(manifest, profile);
  await compareFiles(source, stored, needed);
  return compareWhenUsed(source, manifest, needed);
}

/**
 * As `verifyProfile`, with nothing compared before it is used.
 *
 * @param known files that were compared, which `verify` takes for granted.
 */
export function compareWhenUsed(
  source: BundleSource,
  manifest: Manifest,
  known: readonly string[] = [],
): BundleSource {
  const stored = storedFiles(manifest);
  const verified = new Map<string, Promise<void>>(known.map((path) => [path, Promise.resolve()]));
  return {
    location: source.location,
    async read(path) {
      const first = await readAndCompare(source, path, stored);
      if (first.problems.length === 0) return first.bytes;
      // A copy that was kept may be damaged where the bundle is not.
      await source.discard?.(path, stored[path]?.sha256 ?? '');
      const { bytes, problems } =
        source.discard === undefined ? first : await readAndCompare(source, path, stored);
      refuse(source, problems);
      return bytes;
    },
    verify(path) {
      const before = verified.get(path);
      if (before !== undefined) return before;
      const verifying = measure(source, path, stored).then((got) =>
        refuse(source, problemsOf(path, stored, got)),
      );
      verified.set(path, verifying);
      // What could not be read may be there at the next attempt.
      verifying.catch(() => verified.delete(path));
      return verifying;
    },
  };
}

async function readAndCompare(
  source: BundleSource,
  path: string,
  stored: Stored,
): Promise<{ readonly bytes: Uint8Array; readonly problems: readonly string[] }> {
  const digest = Object.hasOwn(stored, path) ? stored[path]!.sha256 : undefined;
  const bytes = await source.read(path, expectedBytes(stored, path), digest);
  const got = { bytes: bytes.length, sha256: await sha256Hex(bytes) };
  return { bytes, problems: problemsOf(path, stored, got) };
}

/** The files that belong to a profile or to all of them. */
function filesOf({ files, profiles }: Manifest, profile: string): string[] {
  const others = new Set(
    Object.entries(profiles).flatMap(([name, entry]) => (name === profile ? [] : profileFiles(entry))),
  );
  const own = new Set(profileFiles(profiles[profile]!));
  return Object.entries(files)
    .filter(([path]) => own.has(path) || !others.has(path))
    .flatMap(([path, { parts }]) => parts?.map((part) => part.path) ?? [path]);
}

/** What lies in the bundle, by path. */
type Stored = ReturnType<typeof storedFiles>;

async function compareFiles(source: BundleSource, stored: Stored, paths: readonly string[]): Promise<void> {
  const problems: string[] = [];
  // One file after the other: two weight files at once would need twice the memory.
  for (const path of paths) {
    try {
      problems.push(...problemsOf(path, stored, await measure(source, path, stored)));
    } catch (cause) {
      if (!(cause instanceof FuzzError) || cause.code !== 'bundle') throw cause;
      problems.push(`${path}: cannot be read: ${cause.message}`);
    }
  }
  for (const path of (await source.list?.()) ?? [])
    if (![bundlePaths.manifest, signaturePath].includes(path) && !Object.hasOwn(stored, path))
      problems.push(`${path}: expected no such file, the manifest does not name it`);
  refuse(source, problems);
}

/** How large a file may be; nothing of one that the manifest does not name is wanted. */
function expectedBytes(stored: Stored, path: string): number {
  return Object.hasOwn(stored, path) ? stored[path]!.bytes : 0;
}

function problemsOf(path: string, stored: Stored, got: FileEntry): string[] {
  const expected = Object.hasOwn(stored, path) ? stored[path] : undefined;
  if (expected === undefined) return [`${path}: expected no such file, the manifest does not name it`];
  if (got.bytes < expected.bytes)
    return [`${path}: cut off: expected ${expected.bytes} bytes, got ${got.bytes}`];
  if (got.bytes > expected.bytes)
    return [`${path}: too long: expected ${expected.bytes} bytes, got ${got.bytes}`];
  if (got.sha256 !== expected.sha256)
    return [`${path}: altered: expected sha256 ${expected.sha256}, got ${got.sha256}`];
  return [];
}

function refuse(source: BundleSource, problems: readonly string[]): void {
  if (problems.length === 0) return;
  const list = problems.length === 1 ? ` ${problems[0]}` : problems.map((line) => `\n  ${line}`).join('');
  throw new FuzzError('bundle', `files that are not those of the manifest:${list}`, {
    path: source.location,
    hint: 'Export or download the bundle again.',
  });
}

async function measure(source: BundleSource, path: string, stored: Stored): Promise<FileEntry> {
  const most = expectedBytes(stored, path);
  if (source.measure !== undefined) return source.measure(path, most);
  const bytes = await source.read(path, most);
  return { bytes: bytes.length, sha256: await sha256Hex(bytes) };
}
