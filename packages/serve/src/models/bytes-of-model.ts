import { bundlePaths, entailedPath, type GraphEntry, type Manifest } from '@fuzzqe/bundle';
import { usualProfile } from '@fuzzqe/engine';

/**
 * The bytes of memory that an open bundle is counted with, by the sizes of its files.
 *
 * bytes = 4 MiB + weights + 12 · (facts + vocabulary + rules + evidence). Weights are those of the profile, once: threads map the same
 * file. Graphs, sessions and objects of a small bundle take the first 4 MiB; texts and facts take several times their file as objects
 * and indexes.
 */
export function bytesOfModel(manifest: Manifest, profileName: string = usualProfile(manifest)): number {
  const { files, profiles } = manifest;
  const sizeOf = (path: string): number => (Object.hasOwn(files, path) ? files[path]!.bytes : 0);
  const profile = Object.hasOwn(profiles, profileName) ? profiles[profileName] : undefined;
  const graphs: GraphEntry[] =
    profile === undefined ? [] : [...Object.values(profile.operators), profile.rank, profile.links];
  const weights = new Set(graphs.flatMap((graph) => graph.weights));
  const { facts, evidence, rules, entities, relations } = bundlePaths;
  const texts = [facts, entailedPath, evidence, rules, entities, relations];
  const sum = (paths: Iterable<string>): number => [...paths].reduce((all, path) => all + sizeOf(path), 0);
  return 2 ** 22 + sum(weights) + 12 * sum(texts);
}
