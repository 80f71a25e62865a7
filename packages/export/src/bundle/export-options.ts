import type { SetsEntry } from '@fuzzqe/bundle';
import type { KnowledgeGraph, Vocabulary } from '@fuzzqe/core';
import type { LinkWeights, RuleSet } from '@fuzzqe/evidence';
import type { ModelConfig, Parameters } from '@fuzzqe/model';
import type { Attributes, Provenances } from '@fuzzqe/names';
import type { GoldenQuery } from '../golden/golden-query.ts';
import type { ProfileName } from '../profiles/profile.ts';
import type { TargetName } from '../targets/target.ts';
import type { ValidationQuery } from './measure-quality.ts';

/** Facts that a bundle records, with the parts of the data that they come from. */
export interface RecordedFacts {
  readonly graph: KnowledgeGraph;
  readonly parts: readonly string[];
  /** Those of the parts that the model was trained on. */
  readonly trained: readonly string[];
}

/** What a bundle is made of. */
export interface ExportOptions {
  /** Where the bundle goes: a new or empty folder, or a bundle that it replaces. */
  readonly directory: string;
  readonly name: string;
  readonly config: ModelConfig;
  readonly parameters: Parameters;
  readonly vocabulary: Vocabulary;
  /** Numbers, dates, booleans and texts of entities. Default: none. */
  readonly attributes?: Attributes;
  /** Where facts come from, how sure they are and when they hold. Default: nothing is said. A confidence is the degree of a recorded fact. */
  readonly provenances?: Provenances | undefined;
  /** The facts that the model was trained on. */
  readonly graph: KnowledgeGraph;
  /** The facts that the bundle records, where they are more than those that the model was trained on. */
  readonly recorded?: RecordedFacts;
  readonly data: {
    readonly name: string;
    readonly licence: string;
    /** `graphDigest` of the graph that the model was trained on; compared with `graph` where it is given. */
    readonly sha256?: string;
  };
  /** The configuration of the training run. */
  readonly training: Readonly<Record<string, unknown>>;
  /** What was measured; empty where nothing was. */
  readonly metrics: Readonly<Record<string, unknown>>;
  /** How the model answers by fuzzy sets of entities; `defaultSets` for a model that was not calibrated. */
  readonly sets: SetsOptions;
  /** At least one of each structure. */
  readonly goldenQueries: readonly GoldenQuery[];
  /** How many entities a golden case lists. In [1, |E|]. */
  readonly k: number;
  /** Where the bundle is to be used. Default `node`. */
  readonly target?: TargetName;
  /** In which forms the model is stored, all different. Default: that of the target, `fp32`, or `int8-basis` and with blocks `int8`. */
  readonly profiles?: readonly ProfileName[];
  /** How large the whole bundle may be. */
  readonly maxBytes?: number;
  /** How much memory the target has, in bytes. Default: that of a Worker, and of others no limit. */
  readonly memory?: number;
  /** Files that are larger lie in parts of at most so many bytes. Default: 24 MiB for Workers, and of others none do. */
  readonly partBytes?: number;
  /** What the profiles are compared with `fp32` on; without any their quality is not known. */
  readonly validation?: readonly ValidationQuery[];
  /** The facts that their easy answers follow from. Default: `graph`. */
  readonly validationFacts?: KnowledgeGraph;
  /** How many of these, of each structure, are answered in mode `sets` as well: each takes long in float64. Default: 2. */
  readonly validationBySets?: number;
  /** Ends the export where nothing is left behind. */
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: ExportProgress) => void;
}

/** What answers by fuzzy sets need in addition to weights and facts. */
export interface SetsOptions extends SetsEntry {
  /** What joins the evidence of a link. */
  readonly weights: LinkWeights;
  /** The rules that were mined from the facts. */
  readonly rules: RuleSet;
}

/** How far an export is: relations written, golden profiles answered, validation queries ranked. */
export interface ExportProgress {
  readonly stage: 'weights' | 'golden' | 'quality';
  readonly done: number;
  readonly total: number;
}
