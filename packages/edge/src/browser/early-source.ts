import {
  type BundleSource,
  bundlePaths,
  type FileEntry,
  type Manifest,
  prefixesPath,
  profileOf,
  readManifest,
} from '@fuzzqe/core/bundle';
import { type AnswerMode, type BundleOptions, graphsOf, usualProfile } from '@fuzzqe/engine';

/** A source of which files are on their way before they are asked for. */
export interface EarlySource extends BundleSource {
  readonly manifest: Manifest;
  /** Resolves when all of them have come, or will not. */
  readonly arrived: Promise<unknown>;
}

/** What an opening will read, and who hears how much of it has come. */
export interface EarlyReads {
  readonly bundle: BundleOptions;
  readonly warmUp: AnswerMode | 'both' | 'none';
  /** Hears how many bytes there are in all. */
  readonly onTotal: (bytes: number) => void;
}

/**
 * Reads the manifest, and begins to read at once what the opening will ask for one after the other: over a network most of the
 * time is waiting.
 *
 * @throws FuzzError as `readManifest`.
 */
export async function readEarly(
  source: BundleSource,
  { bundle, warmUp, onTotal }: EarlyReads,
): Promise<EarlySource> {
  const early = new Map<string, Promise<Uint8Array>>();
  const reading: BundleSource = {
    ...source,
    read(path, most, sha256) {
      const begun = early.get(path);
      // Whoever reads a file again wants what is there now.
      early.delete(path);
      return begun ?? source.read(path, most, sha256);
    },
  };
  const seen: BundleSource = {
    ...source,
    async read(path, most, sha256) {
      const bytes = await source.read(path, most, sha256);
      early.set(path, Promise.resolve(bytes));
      return bytes;
    },
  };
  const manifest = await readManifest(seen, bundle);
  let total = 0;
  for (const [path, { bytes, sha256 }] of wantedFiles(manifest, bundle, warmUp)) {
    total += bytes;
    const read = source.read(path, bytes, sha256);
    // Whoever asks for it hears of it.
    read.catch(() => undefined);
    early.set(path, read);
  }
  onTotal(total);
  return { ...reading, manifest, arrived: Promise.allSettled(early.values()) };
}

/** The files that lie in the bundle and are wanted, with their parts instead of themselves where they have some. */
function wantedFiles(
  manifest: Manifest,
  { profile }: BundleOptions,
  warmUp: EarlyReads['warmUp'],
): Map<string, FileEntry> {
  const { files, profiles } = manifest;
  const { entities, relations, facts, partitions } = bundlePaths;
  const name = profile ?? usualProfile(manifest);
  const graphs =
    warmUp === 'none' || !Object.hasOwn(profiles, name)
      ? []
      : graphsOf(profileOf(manifest, name), 'edge', warmUp === 'both' ? undefined : warmUp);
  const paths = new Set([entities, relations, prefixesPath, partitions, facts]);
  for (const graph of graphs) for (const path of [graph.path, ...graph.weights]) paths.add(path);
  const wanted = [...paths].flatMap((path): [string, FileEntry][] => {
    const file = Object.hasOwn(files, path) ? files[path] : undefined;
    if (file === undefined) return [];
    return file.parts?.map((part): [string, FileEntry] => [part.path, part]) ?? [[path, file]];
  });
  return new Map(wanted);
}
