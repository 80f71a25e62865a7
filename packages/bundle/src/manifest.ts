import { FuzzError } from '@fuzzqe/core';
import type { StructureName } from '@fuzzqe/core/query';
import type { ProjectionSettings } from '@fuzzqe/core/sets';
import type { DType, Shape } from '@fuzzqe/core/tensor';
import type { ModelConfig } from '@fuzzqe/model';
import type { ProfileQuality } from './profile-quality.ts';
import type { Reliability } from './reliability.ts';
import type { ParityTolerances } from './tolerances.ts';

/** The version of the bundle format that this code writes and reads. */
export const bundleFormatVersion = 6;

/** The graphs that compose to the embedding of any query tree. */
export const operatorNames = ['anchor', 'project', 'conjunction', 'disjunction', 'negation'] as const;
export type OperatorName = (typeof operatorNames)[number];

/** The graphs of operators: those that every model has, and the centroid of models whose projections start from it. */
export type OperatorGraphs = Readonly<Record<OperatorName, GraphEntry>> & { readonly centroid?: GraphEntry };

/** What a graph takes or gives: a name, a kind of number and a shape with names for what varies. */
export interface TensorSignature {
  readonly name: string;
  readonly dtype: DType;
  readonly shape: Shape;
}

/** One ONNX file of the bundle. */
export interface GraphEntry {
  /** Where it lies, from the bundle's root, with `/` between folders. */
  readonly path: string;
  /** The external weights files it refers to, as paths from the bundle's root. */
  readonly weights: readonly string[];
  readonly inputs: readonly TensorSignature[];
  readonly outputs: readonly TensorSignature[];
  /** Where the graph is not the file, but one of the `combinedCases` of the file: which. */
  readonly case?: number;
}

/** A stored form of the model with its graphs. */
export interface Profile {
  readonly operators: OperatorGraphs;
  /** The embeddings of queries of one structure each, of those of `structuresOf`; none where graphs are combined, whose operators embed every tree. */
  readonly structures?: Readonly<Record<StructureName, GraphEntry>>;
  /** The embeddings of any mix of structures in one batch; none where graphs are combined. */
  readonly program?: GraphEntry;
  /** The embeddings of queries of any one structure, in one session; where graphs are combined, the file of all of them. */
  readonly edge: GraphEntry;
  /** The best of the allowed entities by an embedding. */
  readonly rank: GraphEntry;
  /** The model's scores of links, of which (9) makes degrees. */
  readonly links: GraphEntry;
  /** What the profile takes in addition to what all profiles share: its graphs, weights and golden cases. */
  readonly bytes: number;
  /** Its golden cases, from the float64 meaning of its own programs and weights. */
  readonly golden: string;
  /** How far a runtime may be from them. */
  readonly tolerances: ParityTolerances;
  /** How the profile ranks compared with `fp32`. */
  readonly quality: ProfileQuality;
}

/** Every graph of a profile, by the name that it has there and in its file. */
export function namedGraphs(profile: Profile): readonly (readonly [string, GraphEntry])[] {
  const { operators, structures, program, edge, rank, links } = profile;
  return Object.entries({
    ...operators,
    ...structures,
    ...(program === undefined ? {} : { program }),
    edge,
    rank,
    links,
  });
}

/** Every graph of a profile. */
export function profileGraphs(profile: Profile): readonly GraphEntry[] {
  return namedGraphs(profile).map(([, graph]) => graph);
}

/** Every file that belongs to a profile alone, once. */
export function profileFiles(profile: Profile): readonly string[] {
  const graphs = profileGraphs(profile).flatMap(({ path, weights }) => [path, ...weights]);
  return [...new Set([...graphs, profile.golden])];
}

/**
 * Whether a graph is there to compare with every entity: the ranking and links. Others give embeddings.
 *
 * Runtimes that can lay weights out for speed, at the price of a copy in each session, do so for these few.
 */
export function comparesEntities({ outputs }: Pick<GraphEntry, 'outputs'>): boolean {
  return outputs.every(({ name }) => name !== 'embedding');
}

/**
 * A profile by its name.
 *
 * @throws FuzzError `usage`: the bundle has none of this name.
 */
export function profileOf({ profiles }: Pick<Manifest, 'profiles'>, name: string): Profile {
  const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  if (profile !== undefined) return profile;
  const present = Object.keys(profiles).join(', ');
  throw new FuzzError('usage', `profile: expected one of ${present}, got ${JSON.stringify(name)}`, {
    hint: 'Choose a profile that the bundle has, or export it with this one.',
  });
}

/** Whether all graphs of a profile are one file: one session, and one copy of the weights. */
export function isCombined({ rank }: Pick<Profile, 'rank'>): boolean {
  return rank.case !== undefined;
}

/** The files that lie in the bundle, by path: parts instead of what they are parts of. */
export function storedFiles({ files }: Pick<Manifest, 'files'>): Readonly<Record<string, FileEntry>> {
  return Object.fromEntries(
    Object.entries(files).flatMap(([path, file]): [string, FileEntry][] =>
      file.parts === undefined ? [[path, file]] : file.parts.map((part) => [part.path, part]),
    ),
  );
}

/**
 * How a query is answered: by the logic on fuzzy sets of entities, with links that are recorded or predicted, or by the
 * embedding of the whole query.
 */
export type AnswerMode = 'sets' | 'embedding';

/** Every mode, the default first. */
export const answerModes: readonly AnswerMode[] = ['sets', 'embedding'];

/** In which modes a bundle answers; those without its facts have `embedding` alone. */
export function modesOf({
  modes,
}: {
  readonly modes?: readonly AnswerMode[] | undefined;
}): readonly AnswerMode[] {
  return modes ?? answerModes;
}

/** How a model answers by fuzzy sets of entities, apart from what `evidence.json` and `rules.tsv` say. */
export interface SetsEntry {
  /** The numbers of (10). */
  readonly projection: ProjectionSettings;
  /** What the weights of evidence were fitted on; null where they are the default. */
  readonly fitted: EvidenceFit | null;
  /** s: how much the model's vectors count beside the facts in `like`, in (0, 1]. Default 0. */
  readonly likeness?: number | undefined;
  /** How degrees compare with what was found among facts that nothing was fitted on; null where no such facts are held out. */
  readonly reliability: { readonly links: Reliability; readonly answers: Reliability | null } | null;
}

/** What weights of evidence were fitted on. */
export interface EvidenceFit {
  /** How many links (h, r), and how many candidates they have together. */
  readonly links: number;
  readonly candidates: number;
  /** How many candidates are hidden facts. */
  readonly found: number;
  /** The share of all hidden facts that were known, in (0, 1]. */
  readonly knownShare: number;
}

/** `|a − b| ≤ absolute + relative·|b|`, with b from the float64 reference. */
export interface Tolerance {
  readonly absolute: number;
  readonly relative: number;
}

/** Size and digest of one file of the bundle. */
export interface FileEntry {
  readonly bytes: number;
  /** Lower-case hexadecimal. */
  readonly sha256: string;
}

/** One of several files that stand for a larger file: their bytes in order are the bytes of the larger file. */
export interface FilePart extends FileEntry {
  readonly path: string;
}

/** A file of the manifest, which may lie in parts. */
export interface ListedFile extends FileEntry {
  readonly parts?: readonly FilePart[];
}

/** `manifest.json`: what a bundle holds and how to know that it is whole. */
export interface Manifest {
  readonly format: 'fuzzqe-bundle';
  readonly version: number;
  /** Of the manifest itself, with these digits zero: see `sealManifest`. */
  readonly sha256: string;
  readonly name: string;
  readonly model: ModelConfig;
  readonly data: {
    readonly name: string;
    readonly licence: string;
    /** Of the graph that the model was trained on, so that a checkpoint of another graph is noticed. */
    readonly sha256: string;
    /** Directed edges of that graph, inverses included. */
    readonly edges: number;
  };
  readonly sets: SetsEntry;
  /** Default: all. Without `sets` there are no facts, either: nothing is known, and filters by recorded answers are refused. */
  readonly modes?: readonly AnswerMode[];
  readonly profiles: Readonly<Record<string, Profile>>;
  /** Filtered MRR and Hits@k as measured, with the name of the queries; empty where nothing was measured. */
  readonly metrics: Readonly<Record<string, unknown>>;
  /** The configuration of the training run, as it was given. */
  readonly training: Readonly<Record<string, unknown>>;
  /** Every file of the bundle but the manifest itself. */
  readonly files: Readonly<Record<string, ListedFile>>;
}

/** Paths inside a bundle that do not depend on the profile. */
export const bundlePaths = {
  manifest: 'manifest.json',
  card: 'README.md',
  entities: 'vocabulary/entities.tsv',
  relations: 'vocabulary/relations.tsv',
  /** Recorded facts: int32 little-endian triples (head, relation, tail), even relations only, sorted. */
  facts: 'facts.bin',
  /** The weights that join the evidence of links, of every relation. */
  evidence: 'evidence.json',
  /** The rules that were mined from the facts. */
  rules: 'rules.tsv',
} as const;

/** What prefixes in names stand for; only where the graph has prefixes. */
export const prefixesPath = 'vocabulary/prefixes.tsv';

/** Further names and descriptions of entities; only where the graph has some. */
export const aliasesPath = 'vocabulary/aliases.tsv';

/** Numbers, dates, booleans and texts of entities, and what their columns are; only where the graph has some. */
export const attributesPath = 'attributes.tsv';
export const attributeValuesPath = 'attribute-values.tsv';

/** Where facts come from, how sure they are and when they hold; only where the data say so of some fact. */
export const provenancePath = 'provenance.tsv';

/** Facts that declared axioms entail, in the form of `facts.bin`; only where the graph declares axioms that do. */
export const entailedPath = 'entailed.bin';

/** The number of a version in a repository: `name/<version>/` holds a bundle. Undefined where a folder is none. */
export function bundleVersionOf(folder: string): number | undefined {
  const version = /^[1-9]\d*$/.test(folder) ? Number(folder) : Number.NaN;
  return Number.isSafeInteger(version) ? version : undefined;
}
