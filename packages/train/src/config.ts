import { schema } from '@fuzzqe/core';
import {
  type InitialisationName,
  initialisationNames,
  type ModelOptions,
  modelOptionsSchema,
  type ParameterName,
} from '@fuzzqe/core/model';
import { type StructureName, structureNames } from '@fuzzqe/core/query';
import { type LossConfig, lossNames } from './loss/loss.ts';
import type { ScheduleConfig } from './optimiser/schedule.ts';

/** Which entities an answer is compared with. */
export const negativeKinds = ['all', 'shared', 'own'] as const;
export type NegativeKind = (typeof negativeKinds)[number];

/** How a step computes projections: equal results, different cost (docs/training.md). */
export const projectionForms = ['grouped', 'outer'] as const;
export type ProjectionForm = (typeof projectionForms)[number];

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
  /** How many of a query's answers a step learns from, at most; they are drawn anew for every step. */
  readonly answers: number;
  /** Queries of each structure in a step. */
  readonly batch: Readonly<Partial<Record<StructureName, number>>>;
  /** From which share of the run on structures other than 1p take part. In [0, 1]; 1 is link prediction only. */
  readonly complexFrom: number;
  /** Share of elements that is set to zero at a step, the others growing in proportion. In [0, 1). */
  readonly dropout: {
    /** Of every projection's input. */
    readonly input: number;
    /** Of every projection's normalised output, before g. */
    readonly output: number;
  };
  /** How much a query of a structure counts in the loss; 1 where nothing is said. */
  readonly weights: Readonly<Partial<Record<StructureName, number>>>;
  readonly initialisation: InitialisationName;
  readonly projection: ProjectionForm;
  readonly optimiser: {
    /** Peak learning rate. > 0. */
    readonly learningRate: number;
    readonly schedule: ScheduleConfig;
    /** Weight decay of each trained tensor. ≥ 0. */
    readonly decay: Readonly<Record<ParameterName, number>>;
    /** The largest length of the gradient of all tensors together; 0 does not limit it. */
    readonly clipNorm: number;
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

const { integer, number, object, oneOf, withDefault } = schema;
const share = number({ min: 0, max: 1 });
const positive = number({ min: Number.MIN_VALUE });

/** An object with a value for some of the structures. */
function perStructure(value: schema.Schema<number>): schema.Schema<TrainingConfig['batch']> {
  const fields = Object.fromEntries(structureNames.map((name) => [name, schema.optional(value)]));
  return object(fields as Record<StructureName, schema.OptionalSchema<number>>);
}

const configSchema: schema.Schema<TrainingConfig> = object({
  model: modelOptionsSchema,
  loss: object({
    name: oneOf(lossNames),
    margin: number(),
    scale: positive,
    temperature: positive,
    smoothing: withDefault(number({ min: 0, max: 0.95 }), 0),
    penalty: withDefault(number({ min: 0 }), 0),
  }),
  negatives: object({ kind: oneOf(negativeKinds), count: integer({ min: 1 }) }),
  answers: withDefault(integer({ min: 1 }), 1),
  batch: perStructure(integer({ min: 0 })),
  complexFrom: share,
  dropout: object({ input: number({ min: 0, max: 0.95 }), output: number({ min: 0, max: 0.95 }) }),
  weights: perStructure(number({ min: 0 })),
  initialisation: oneOf(initialisationNames),
  projection: oneOf(projectionForms),
  optimiser: object({
    learningRate: positive,
    schedule: object({
      kind: oneOf(['constant', 'cosine']),
      warmupSteps: integer({ min: 0 }),
      finalShare: share,
    }),
    decay: object({
      entities: number({ min: 0 }),
      coefficients: number({ min: 0 }),
      bases: number({ min: 0 }),
      biasBases: number({ min: 0 }),
    }),
    clipNorm: number({ min: 0 }),
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

/** Reads the configuration that a run recorded; keys that it is older than have the value that says the same. */
export function recordedTrainingConfig(value: unknown, path: string): TrainingConfig {
  return schema.parse(configSchema, value, { code: 'checkpoint', what: 'configuration of the run', path });
}

/** `changes` over `base`; objects are merged, everything else replaced. `batch` and `weights` are replaced whole. */
function overlay(base: unknown, changes: unknown): unknown {
  const plain = (x: unknown): x is Record<string, unknown> =>
    typeof x === 'object' && x !== null && !Array.isArray(x);
  if (!plain(base) || !plain(changes)) return changes;
  const merged: Record<string, unknown> = { ...base };
  for (const [key, change] of Object.entries(changes))
    merged[key] = key === 'batch' || key === 'weights' ? change : overlay(base[key], change);
  return merged;
}
