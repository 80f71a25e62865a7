import {
  type BundleSource,
  bundlePaths,
  decodeFacts,
  entailedPath,
  joinParts,
  type Manifest,
  type ManifestOptions,
  modesOf,
  readBundleAttributes,
  readBundleProvenances,
  readBundleText,
  readManifest,
  readVocabulary,
  verifyProfile,
} from '@fuzzqe/bundle';
import { emptyKnowledgeGraph, FuzzError, graphOfFacts, type Vocabulary } from '@fuzzqe/core';
import { datedAxioms, defaultWeights, readEvidence, readRules } from '@fuzzqe/evidence';
import { type Attributes, type Provenances, withProvenances } from '@fuzzqe/names';
import { type EntityTexts, textsOf } from './entity-page/entity-texts.ts';
import { aFunction, anything, flag, type OptionForm } from './options/option-forms.ts';
import type { RankedBundle } from './ranker/local-ranker.ts';
import { checkedGraphs } from './sessions/checked-graphs.ts';

/** A bundle of which one profile is opened. */
export interface OpenBundle extends RankedBundle {
  readonly profileName: string;
  readonly vocabulary: Vocabulary;
  /** Where recorded facts come from, how sure they are and when they hold, as the data say; undefined if nothing is said. */
  readonly provenances?: Provenances | undefined;
  /** The literals of an entity, by its own names or by those of a vocabulary that has grown; the first call reads their files. */
  textsOf(id: number, names?: Vocabulary): Promise<EntityTexts>;
  /** The literals of all entities; the first call reads their files. */
  attributes(): Promise<Attributes>;
}

/** How a bundle is opened. */
export interface BundleOptions extends ManifestOptions {
  /** Which stored form of the model. Default: the first that the bundle has of `fp32`, `fp16`, `int8`, `int8-basis`. */
  readonly profile?: string;
  /** Whether every file that is used is compared with its digest. Default true; a signature needs it. */
  readonly verify?: boolean;
  /** Whether the index of the facts lies in memory that threads share instead of copying it. Default false. */
  readonly sharedFacts?: boolean;
  /** Sees the manifest before any other file is read, and throws where the bundle is not to be opened. */
  readonly accept?: (manifest: Manifest, profile: string) => void;
}

/** What these options may be, for anyone who passes them on; a profile and a key are looked at where they are used. */
export const bundleForms: Readonly<Record<keyof BundleOptions, OptionForm>> = {
  profile: anything,
  verify: flag,
  requireSignature: anything,
  sharedFacts: flag,
  accept: aFunction,
};

/**
 * Reads all of a bundle but its graphs, with one of its profiles.
 *
 * Counts and sizes are compared before anything is made of them, and `source` gives no graph but such as the exporter writes.
 *
 * @throws FuzzError `bundle`: a file is missing, damaged, contradicts another or is not signed as it has to be. `usage`: no
 * such profile, a key that is none, or a signature of files that nobody compares.
 */
export async function openBundle(files: BundleSource, options: BundleOptions = {}): Promise<OpenBundle> {
  const { profile: wanted, verify = true, requireSignature, sharedFacts = false } = options;
  if (requireSignature !== undefined && !verify)
    throw new FuzzError('usage', 'requireSignature: expected verify with it, got verify: false', {
      hint: 'The signature is of the digests of the files: compare them, too.',
    });
  const manifest = await readManifest(files, options);
  const present = Object.keys(manifest.profiles);
  const profileName = wanted ?? usualProfile(manifest);
  const profile = Object.hasOwn(manifest.profiles, profileName) ? manifest.profiles[profileName] : undefined;
  if (profile === undefined) {
    throw new FuzzError(
      'usage',
      `profile: expected one of ${present.join(', ')}, got ${JSON.stringify(profileName)}`,
      { path: files.location, hint: 'Choose a profile that the bundle has, or export it with this one.' },
    );
  }
  options.accept?.(manifest, profileName);
  const verified = verify ? await verifyProfile(files, manifest, profileName) : files;
  const source = checkedGraphs(joinParts(verified, manifest), manifest, profileName);
  const { entities, relations } = manifest.model;
  const vocabulary = await asBundleError(source, () => readVocabulary(source, manifest));
  // Only now is anything made that is as long as a count of the manifest.
  checkCount(bundlePaths.entities, 'entities', entities, vocabulary.entityCount);
  checkCount(bundlePaths.relations, 'relations with inverses', relations, vocabulary.relationCount);
  const recorded = modesOf(manifest).includes('sets')
    ? graphOfFacts({
        entityCount: entities,
        relationCount: relations,
        triples: decodeFacts(await source.read(bundlePaths.facts), manifest.model),
        shared: sharedFacts,
      })
    : emptyKnowledgeGraph(entities, relations);
  const provenances = await asBundleError(source, () => readBundleProvenances(source, manifest));
  const facts = provenances === undefined ? recorded : withProvenances(recorded, provenances);
  const entailed = Object.hasOwn(manifest.files, entailedPath)
    ? graphOfFacts({
        entityCount: entities,
        relationCount: relations,
        triples: decodeFacts(await source.read(entailedPath), manifest.model),
        shared: sharedFacts,
      })
    : undefined;
  const axioms = datedAxioms(facts, vocabulary);
  const evidence = modesOf(manifest).includes('sets')
    ? await asBundleError(source, () => readGraphEvidence(source, manifest))
    : { weights: defaultWeights(relations), rules: { relationCount: relations, rules: [] } };
  let reading: Promise<Attributes> | undefined;
  const attributes = (): Promise<Attributes> => {
    reading ??= asBundleError(source, () => readBundleAttributes(source, manifest));
    // What fails is read anew.
    reading.catch(() => {
      reading = undefined;
    });
    return reading;
  };
  return {
    ...{ source, manifest, profile, profileName, vocabulary, facts, provenances, entailed, axioms, evidence },
    attributes,
    async textsOf(id, names = vocabulary) {
      const read = await attributes();
      return asBundleError(source, async () => textsOf(names, read, id));
    },
  };
}

/** What joins the evidence of links, and the rules. */
async function readGraphEvidence(
  source: BundleSource,
  { model: { entities, relations } }: Manifest,
): Promise<RankedBundle['evidence']> {
  const { evidence, rules } = bundlePaths;
  return {
    weights: readEvidence(await readBundleText(source, evidence), relations, evidence),
    rules: readRules(await readBundleText(source, rules), {
      entityCount: entities,
      relationCount: relations,
      path: rules,
    }),
  };
}

/** The profile of a bundle that is opened where none is asked for. */
export function usualProfile({ profiles }: Pick<Manifest, 'profiles'>): string {
  const present = Object.keys(profiles);
  return preferred.find((name) => present.includes(name)) ?? present[0]!;
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
