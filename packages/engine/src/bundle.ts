import {
  type BundleSource,
  bundlePaths,
  createKnowledgeGraph,
  createVocabulary,
  FuzzError,
  type KnowledgeGraph,
  type Manifest,
  type Profile,
  readEntitiesTsv,
  readRelationsTsv,
  type Vocabulary,
} from '@fuzzqe/core';

/** A bundle read and found whole. */
export interface OpenBundle {
  readonly manifest: Manifest;
  readonly profile: Profile;
  readonly vocabulary: Vocabulary;
  /** The recorded facts. */
  readonly facts: KnowledgeGraph;
}

/**
 * Reads all of a bundle but its graphs.
 *
 * @throws FuzzError `bundle`: a file is missing, damaged or contradicts another. `usage`: no such profile.
 */
export async function openBundle(
  source: BundleSource,
  profileName: string,
  verify: boolean,
): Promise<OpenBundle> {
  const manifest = JSON.parse(new TextDecoder().decode(await source.read(bundlePaths.manifest))) as Manifest;
  if (verify) {
  }
  const profile = manifest.profiles[profileName];
  if (profile === undefined) {
    throw new FuzzError(
      'usage',
      `profile: expected one of ${Object.keys(manifest.profiles).join(', ')}, got ${JSON.stringify(profileName)}`,
      { path: source.location, hint: 'Choose a profile that the bundle has, or export it with this one.' },
    );
  }
  const vocabulary = createVocabulary({
    entities: readEntitiesTsv(await readText(source, bundlePaths.entities), bundlePaths.entities),
    relations: readRelationsTsv(await readText(source, bundlePaths.relations), bundlePaths.relations),
  });
  const { entities, relations } = manifest.model;
  checkCount(bundlePaths.entities, 'entities', entities, vocabulary.entityCount);
  checkCount(bundlePaths.relations, 'relations with inverses', relations, vocabulary.relationCount);
  const facts = createKnowledgeGraph({
    entityCount: entities,
    relationCount: relations,
    triples: readFacts(await source.read(bundlePaths.facts)),
  });
  return { manifest, profile, vocabulary, facts };
}

/** Little-endian int32 from wherever in its buffer a file begins. */
function readFacts(bytes: Uint8Array): Int32Array {
  if (bytes.length % 12 !== 0) {
    throw new FuzzError('bundle', `facts: expected triples of 12 bytes, got ${bytes.length} bytes`, {
      path: bundlePaths.facts,
      hint: 'Export the bundle again.',
    });
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Int32Array.from({ length: bytes.length / 4 }, (_, i) => view.getInt32(i * 4, true));
}

async function readText(source: BundleSource, path: string): Promise<string> {
  const bytes = await source.read(path);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new FuzzError('bundle', 'expected UTF-8, got other bytes', {
      path,
      cause,
      hint: 'Export the bundle again.',
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
