import { createKnowledgeGraph, FuzzError, type KnowledgeGraph, type Vocabulary } from '@fuzzqe/core';
import {
  type BundleSource,
  bundlePaths,
  decodeFacts,
  decodePartitions,
  type Manifest,
  type Profile,
  readManifest,
  readVocabulary,
  verifyProfile,
} from '@fuzzqe/core/bundle';

/** A bundle of which one profile is opened. */
export interface OpenBundle {
  /** Where graphs and weights are read from: verified, where that was wanted. */
  readonly source: BundleSource;
  readonly manifest: Manifest;
  readonly profile: Profile;
  readonly profileName: string;
  readonly vocabulary: Vocabulary;
  /** The recorded facts. */
  readonly facts: KnowledgeGraph;
  /** The log-partition of each relation [|R|]. */
  readonly partitions: Float32Array;
}

/**
 * Reads all of a bundle but its graphs, with one of its profiles: the one that is wanted, or else the first that it has of
 * fp32, fp16, int8, int8-basis.
 *
 * @throws FuzzError `bundle`: a file is missing, damaged or contradicts another. `usage`: no such profile.
 */
export async function openBundle(
  files: BundleSource,
  wanted: string | undefined,
  verify: boolean,
): Promise<OpenBundle> {
  const manifest = await readManifest(files);
  const present = Object.keys(manifest.profiles);
  const profileName = wanted ?? preferred.find((name) => present.includes(name)) ?? present[0]!;
  const profile = Object.hasOwn(manifest.profiles, profileName) ? manifest.profiles[profileName] : undefined;
  if (profile === undefined) {
    throw new FuzzError(
      'usage',
      `profile: expected one of ${present.join(', ')}, got ${JSON.stringify(profileName)}`,
      { path: files.location, hint: 'Choose a profile that the bundle has, or export it with this one.' },
    );
  }
  const source = verify ? await verifyProfile(files, manifest, profileName) : files;
  const triples = decodeFacts(await source.read(bundlePaths.facts));
  const { entities, relations } = manifest.model;
  const partitions = decodePartitions(await source.read(bundlePaths.partitions), relations);
  const { vocabulary, facts } = await asBundleError(source, async () => ({
    vocabulary: await readVocabulary(source, manifest),
    facts: createKnowledgeGraph({ entityCount: entities, relationCount: relations, triples }),
  }));
  checkCount(bundlePaths.entities, 'entities', entities, vocabulary.entityCount);
  checkCount(bundlePaths.relations, 'relations with inverses', relations, vocabulary.relationCount);
  return { source, manifest, profile, profileName, vocabulary, facts, partitions };
}

/** The profiles from the most exact to the smallest. */
const preferred = ['fp32', 'fp16', 'int8', 'int8-basis'];

/** What is bad data anywhere else is a damaged bundle here. */
async function asBundleError<T>(source: BundleSource, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (cause) {
    if (!(cause instanceof FuzzError) || cause.code === 'bundle') throw cause;
    throw new FuzzError('bundle', cause.message, {
      path: cause.path ?? source.location,
      hint: `The bundle at ${source.location} is damaged; export or download it again.`,
      cause,
    });
  }
}

function checkCount(path: string, what: string, expected: number, got: number): void {
  if (expected === got) return;
  throw new FuzzError('bundle', `expected ${expected} ${what} as in the manifest, got ${got}`, {
    path,
    hint: 'The vocabulary is of another model; export the bundle again.',
  });
}
