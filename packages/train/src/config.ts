import {
  type ModelOptions,
  modelOptionsSchema,
  type StructureName,
  schema,
  structureNames,
} from '@fuzzqe/core';
import { type LossConfig, lossNames } from './loss/loss.ts';
import type { ScheduleConfig } from './optimiser/schedule.ts';

/** Which entities an answer is compared with. */
export const negativeKinds = ['all', 'shared', 'own'] as const;
export type NegativeKind = (typeof negativeKinds)[number];

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
  /** Share of the elements of every projection input that is set to zero at a step. In [0, 1). */
  readonly dropout: number;
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
}

const { integer, number, object, oneOf } = schema;
const share = number({ min: 0, max: 1 });
const positive = number({ min: Number.MIN_VALUE });

const configSchema: schema.Schema<TrainingConfig> = object({
  model: modelOptionsSchema,
  loss: object({ name: oneOf(lossNames), margin: number(), scale: positive, temperature: positive }),
  negatives: object({ kind: oneOf(negativeKinds), count: integer({ min: 1 }) }),
  batch: object(
    Object.fromEntries(structureNames.map((name) => [name, schema.optional(integer({ min: 0 }))])) as Record<
      StructureName,
      schema.OptionalSchema<number>
    >,
  ) as schema.Schema<TrainingConfig['batch']>,
  complexFrom: share,
  dropout: number({ min: 0, max: 0.95 }),
  optimiser: object({
    learningRate: positive,
    schedule: object({
      kind: oneOf(['constant', 'cosine']),
      warmupSteps: integer({ min: 0 }),
      finalShare: share,
    }),
    entityDecay: number({ min: 0 }),
    decay: number({ min: 0 }),
  }),
  steps: integer({ min: 1 }),
  seed: integer({ min: 0 }),
  validation: object({ every: integer({ min: 1 }), patience: integer({ min: 1 }) }),
});

/**
 * Reads a training configuration; what it leaves out is taken from `defaults`, key by key.
 *
 * Throws: 'config' with every key that does not exist (and the nearest that does) and every value out of range.
 */
export function parseTrainingConfig(value: unknown, defaults: TrainingConfig, path = '$'): TrainingConfig {
  return schema.parse(configSchema, overlay(defaults, value), {
    code: 'config',
    what: 'training configuration',
    path,
  });
}

/** `changes` over `base`; objects are merged, everything else replaced. `batch` is replaced whole. */
function overlay(base: unknown, changes: unknown): unknown {
  const plain = (x: unknown): x is Record<string, unknown> =>
    typeof x === 'object' && x !== null && !Array.isArray(x);
  if (!plain(base) || !plain(changes)) return changes;
  const merged: Record<string, unknown> = { ...base };
  for (const [key, change] of Object.entries(changes))
    merged[key] = key === 'batch' ? change : overlay(base[key], change);
  return merged;
}
