import type { ModelConfig, StructureName } from '@fuzzqe/core';
import type { LossConfig } from './loss/loss.ts';
import type { ScheduleConfig } from './optimiser/schedule.ts';

/** Which entities an answer is compared with. */
export const negativeKinds = ['all', 'shared', 'own'] as const;
export type NegativeKind = (typeof negativeKinds)[number];

/** What a run is told about the model; the graph tells the rest. */
export type ModelOptions = Omit<ModelConfig, 'entities' | 'relations'>;

/** Everything that decides a training run; with the graph and the queries it decides every byte of the result. */
export interface TrainingConfig {
  readonly model: ModelOptions;
  readonly loss: LossConfig;
  readonly negatives: {
    /** All entities, a sample shared by the batch, or a sample of each query's own (the paper). */
    readonly kind: NegativeKind;
    /** Size of the sample; ignored for `all`. */
    readonly count: number;
  };
  /** Queries of each structure in a step. */
  readonly batch: Readonly<Partial<Record<StructureName, number>>>;
  /** From which share of the run on structures other than 1p take part. In [0, 1]; 1 is link prediction only. */
  readonly complexFrom: number;
  readonly optimiser: {
    /** Peak learning rate. > 0. */
    readonly learningRate: number;
    readonly schedule: ScheduleConfig;
    /** Weight decay of the entities and of everything else. */
    readonly entityDecay: number;
    readonly decay: number;
  };
  readonly steps: number;
  readonly seed: number;
  readonly validation: {
    /** Steps between validations. */
    readonly every: number;
    /** Steps without a better validation MRR after which the run stops. */
    readonly patience: number;
  };
  /** Threads of the dense part of a step. The result does not depend on it. */
  readonly threads: number;
}
