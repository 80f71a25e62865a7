import {
  aliasesPath,
  type BundleSource,
  bundlePaths,
  entailedPath,
  type FileEntry,
  type Manifest,
  prefixesPath,
  profileOf,
  provenancePath,
} from '@fuzzqe/bundle';
import { type AnswerMode, graphsOf } from '@fuzzqe/engine';

/** A source of which files are on their way before they are asked for. */
export interface EarlySource extends BundleSource {
  /**
   * Begins to read at once what an opening will ask for one after the other: over a network most of the time is waiting. Returns
   * how many bytes that will be.
   */
  begin(manifest: Manifest, profile: string, warmUp: AnswerMode | 'both' | 'none'): number;
  /** Resolves when all that was begun has come, or will not. */
  arrived(): Promise<unknown>;
}

/** The same source, which can begin to read files before they are asked for. */
export function createEarlySource(source: BundleSource): EarlySource {
  const early = new Map<string, Promise<Uint8Array>>();
  // Without what has come: that is held by anyone who asked for it.
  const come: Promise<void>[] = [];
  const nothing = (): void => undefined;
  return {
    ...source,
    read(path, most, sha256) {
      const begun = early.get(path);
      // Anyone who reads a file again wants what is there now.
      early.delete(path);
      return begun ?? source.read(path, most, sha256);
    },
    begin(manifest, profile, warmUp) {
      let total = 0;
      for (const [path, { bytes, sha256 }] of wantedFiles(manifest, profile, warmUp)) {
        total += bytes;
        const read = source.read(path, bytes, sha256);
        // Anyone who asks for it hears of what fails.
        come.push(read.then(nothing, nothing));
        early.set(path, read);
      }
      return total;
    },
    arrived: () => Promise.all(come),
  };
}

/** The files that lie in the bundle and are wanted, with their parts instead of themselves where they have some. */
function wantedFiles(
  manifest: Manifest,
  profile: string,
  warmUp: AnswerMode | 'both' | 'none',
): Map<string, FileEntry> {
  const { files } = manifest;
  const { entities, relations, facts, evidence, rules } = bundlePaths;
  const graphs =
    warmUp === 'none'
      ? []
      : graphsOf(profileOf(manifest, profile), 'edge', warmUp === 'both' ? undefined : warmUp);
  const paths = new Set([
    entities,
    relations,
    prefixesPath,
    aliasesPath,
    facts,
    evidence,
    rules,
    entailedPath,
    provenancePath,
  ]);
  for (const graph of graphs) for (const path of [graph.path, ...graph.weights]) paths.add(path);
  const wanted = [...paths].flatMap((path): [string, FileEntry][] => {
    const file = Object.hasOwn(files, path) ? files[path] : undefined;
    if (file === undefined) return [];
    return file.parts?.map((part): [string, FileEntry] => [part.path, part]) ?? [[path, file]];
  });
  return new Map(wanted);
}
