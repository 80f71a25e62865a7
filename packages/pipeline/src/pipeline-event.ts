import type { Manifest } from '@fuzzqe/bundle';
import type { Dataset, QuerySets } from '@fuzzqe/data';
import type { ParityMatrix } from '@fuzzqe/parity';
import type { RunResult, TrainedStep, Validation } from '@fuzzqe/train';
import type { Comparison } from './evaluation/compare-models.ts';
import type { SavedCalibration } from './evaluation/saved-calibration.ts';

/** The stages of a pipeline, in order. */
export const pipelineStages = [
  'import',
  'sample',
  'train',
  'calibrate',
  'evaluate',
  'refit',
  'export',
  'parity',
] as const;
export type PipelineStage = (typeof pipelineStages)[number];

/** What a pipeline tells: where each stage begins, how far it is, and what it made. */
export type PipelineEvent =
  | { readonly kind: 'begin'; readonly stage: PipelineStage }
  | PipelineProgress
  | ({ readonly kind: 'step'; readonly stage: 'train' | 'refit' } & TrainedStep)
  | ({
      readonly kind: 'validation';
      readonly stage: 'train';
      readonly step: number;
      readonly improved: boolean;
    } & Validation)
  | PipelineEnd;

/** How far a stage is; training tells its steps instead. */
export interface PipelineProgress {
  readonly kind: 'progress';
  readonly stage: PipelineStage;
  /** For people, as in `Sampling`. */
  readonly what: string;
  /** What is counted, in the plural. */
  readonly unit: string;
  readonly done: number;
  readonly total: number;
}

/** What a stage made. */
export type PipelineEnd =
  | { readonly kind: 'end'; readonly stage: 'import'; readonly dataset: Dataset }
  | { readonly kind: 'end'; readonly stage: 'sample'; readonly queries: QuerySets }
  | { readonly kind: 'end'; readonly stage: 'train'; readonly result: RunResult }
  | { readonly kind: 'end'; readonly stage: 'calibrate'; readonly calibration: SavedCalibration }
  | { readonly kind: 'end'; readonly stage: 'evaluate'; readonly evaluation: Comparison | undefined }
  | { readonly kind: 'end'; readonly stage: 'refit'; readonly result: RunResult | undefined }
  | { readonly kind: 'end'; readonly stage: 'export'; readonly manifest: Manifest }
  | { readonly kind: 'end'; readonly stage: 'parity'; readonly parity: ParityMatrix };
