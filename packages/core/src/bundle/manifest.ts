import type { ModelConfig } from '../model/config.ts';
import type { StructureName } from '../query/structures.ts';
import type { DType, Shape } from '../tensor/shape.ts';
import type { ProfileQuality } from './profile-quality.ts';

/** The version of the bundle format that this code writes, and the newest that it reads. */
export const bundleFormatVersion = 1;

/** The graphs that compose to any query tree. */
export const operatorNames = [
  'anchor',
  'project',
  'conjunction',
  'disjunction',
  'negation',
  'score',
] as const;
export type OperatorName = (typeof operatorNames)[number];

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
}

/** A set of graphs at one precision. */
export interface Profile {
  readonly operators: Readonly<Record<OperatorName, GraphEntry>>;
  readonly structures: Readonly<Record<StructureName, GraphEntry>>;
  /** Any mix of structures in one batch. Bundles of an earlier writer have none. */
  readonly program?: GraphEntry;
  /** Every structure in one session. Bundles of an earlier writer have none. */
  readonly edge?: GraphEntry;
  /** What it takes beside what all profiles share: its graphs, weights and golden cases. */
  readonly bytes?: number;
  /** Its golden cases, from the float64 meaning of its own programs; `golden.json` where this is left out. */
  readonly golden?: string;
  /** How far a runtime may be from them; those of the manifest where this is left out. */
  readonly tolerances?: { readonly embedding: Tolerance; readonly score: Tolerance };
  /** How it ranks beside `fp32`. */
  readonly quality?: ProfileQuality;
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
  readonly profiles: Readonly<Record<string, Profile>>;
  readonly tolerances: { readonly embedding: Tolerance; readonly score: Tolerance };
  /** Filtered MRR and Hits@k as measured, with the name of the queries; empty where nothing was measured. */
  readonly metrics: Readonly<Record<string, unknown>>;
  /** The configuration of the training run, as it was given. */
  readonly training: Readonly<Record<string, unknown>>;
  /** Every file of the bundle but the manifest itself. */
  readonly files: Readonly<Record<string, FileEntry>>;
}

/** Paths inside a bundle that do not depend on the profile. */
export const bundlePaths = {
  manifest: 'manifest.json',
  card: 'README.md',
  golden: 'golden.json',
  entities: 'vocabulary/entities.tsv',
  relations: 'vocabulary/relations.tsv',
  /** Recorded facts: int32 little-endian triples (head, relation, tail), even relations only, sorted. */
  facts: 'facts.bin',
} as const;

/** What prefixes in names stand for; only where the graph has prefixes. */
export const prefixesPath = 'vocabulary/prefixes.tsv';

/** The number of a version in a repository: `name/<version>/` holds a bundle. Undefined where a folder is none. */
export function bundleVersionOf(folder: string): number | undefined {
  const version = /^[1-9]\d*$/.test(folder) ? Number(folder) : Number.NaN;
  return Number.isSafeInteger(version) ? version : undefined;
}
