import { describeValue, FuzzError, schema } from '@fuzzqe/core';
import { type StructureName, structureNames } from '@fuzzqe/core/query';
import {
  type InitialisationName,
  initialisationNames,
  type LayerName,
  type ModelOptions,
  modelOptionsSchema,
  type ParameterName,
} from '@fuzzqe/model';
import { withFamilyAdvice } from './family-advice.ts';
import { type LinkDrawConfig, linkDrawNames } from './links/link-draw.ts';
import { type LossConfig, lossNames } from './loss/losses.ts';
import { knownAnswersNames } from './loss/softmax.ts';
import { type NegativesConfig, negativesNames } from './negatives/negatives.ts';
import { type ScheduleConfig, scheduleNames } from './optimiser/schedule.ts';
import { type RegularisersConfig, regulariserNames } from './regulariser/regularisers.ts';

/** How a step computes projections: equal results, different cost. */
export const projectionForms = ['grouped', 'outer'] as const;
export type ProjectionForm = (typeof projectionForms)[number];

/** Which rows of the entity table AdamW updates at a step: all, or the rows that the step names (docs/training-step.md). */
export const updatedRows = ['all', 'used'] as const;
export type UpdatedRows = (typeof updatedRows)[number];

/**
 * What a step learns from: answers that are drawn, `answers` of a query; or all facts of links (h, r) alike, so that each link has
 * all its tails and counts as often as it has tails.
 */
export const targetNames = ['drawn', 'facts'] as const;
export type TargetName = (typeof targetNames)[number];

/** Everything that decides a training run; with the graph and the queries it decides every byte of the result. */
export interface TrainingConfig {
  readonly model: ModelOptions;
  readonly loss: LossConfig;
  readonly regularisers: RegularisersConfig;
  readonly negatives: NegativesConfig;
  /** How many of a query's answers a step learns from, at most, drawn anew for every step; with `facts`, of how many facts for each link relations are predicted. */
  readonly answers: number;
  /** With `facts` a step has links alone, drawn by pairs and compared with all entities, and the loss is the softmax's. */
  readonly targets: TargetName;
  /** With blocks, what telling the relation of each link from its ends adds to the loss. ≥ 0; 0 adds nothing. */
  readonly relationPrediction: number;
  /** How the 1p queries of a step are drawn. */
  readonly links: LinkDrawConfig;
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
    /** Weight decay of each trained tensor. ≥ 0; layers have none. */
    readonly decay: Readonly<Record<Exclude<ParameterName, LayerName>, number>>;
    /** The largest length of the gradient of all tensors together; 0 does not limit it. */
    readonly clipNorm: number;
    /** `used` costs what a batch costs and not what the table does; anything that needs the whole table refuses it. */
    readonly rows: UpdatedRows;
  };
  /** Steps of the run; with the schedule `plateau` at most so many. */
  readonly steps: number;
  readonly seed: number;
  readonly validation: {
    /** Steps between validations. */
    readonly every: number;
    /** Steps without a better validation MRR after which the run stops, with the schedule `plateau` after a last stretch. */
    readonly patience: number;
    /** In which mode validation ranks: the mode that will be served, or the embedding, which models that learn whole queries have. */
    readonly mode: ValidationMode;
  };
}

/** The modes in which validation can rank. */
export const validationModes = ['sets', 'embedding'] as const;
export type ValidationMode = (typeof validationModes)[number];

const { fieldsOf, integer, number, object, oneOf, optional, withDefault } = schema;
const share = number({ min: 0, max: 1 });
const positive = number({ above: 0 });

/** A whole training configuration; `training.schema.json` is written from it. */
export const trainingConfigSchema: schema.Schema<TrainingConfig> = object({
  model: modelOptionsSchema,
  loss: object({
    name: oneOf(lossNames),
    margin: number(),
    scale: positive,
    temperature: positive,
    smoothing: withDefault(number({ min: 0, max: 0.95 }), 0),
    knownAnswers: withDefault(oneOf(knownAnswersNames), 'masked'),
  }),
  regularisers: withDefault(object(fieldsOf(regulariserNames, optional(object({ weight: positive })))), {}),
  negatives: object({
    kind: oneOf(negativesNames),
    count: integer({ min: 1 }),
    byDegree: withDefault(share, 0),
    allFrom: withDefault(share, 1),
  }),
  answers: withDefault(integer({ min: 1 }), 1),
  targets: withDefault(oneOf(targetNames), 'drawn'),
  relationPrediction: withDefault(number({ min: 0 }), 0),
  links: withDefault(object(fieldsOf(linkDrawNames, optional(positive))), { pairs: 0.5, edges: 0.5 }),
  batch: object(fieldsOf(structureNames, optional(integer({ min: 0 })))),
  complexFrom: share,
  dropout: object({ input: number({ min: 0, max: 0.95 }), output: number({ min: 0, max: 0.95 }) }),
  weights: object(fieldsOf(structureNames, optional(number({ min: 0 })))),
  initialisation: oneOf(initialisationNames),
  projection: oneOf(projectionForms),
  optimiser: object({
    learningRate: positive,
    schedule: object({
      kind: oneOf(scheduleNames),
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
    rows: withDefault(oneOf(updatedRows), 'all'),
  }),
  steps: integer({ min: 1 }),
  seed: integer({ min: 0 }),
  validation: object({
    every: integer({ min: 1 }),
    patience: integer({ min: 1 }),
    mode: withDefault(oneOf(validationModes), 'sets'),
  }),
});

/** Whether the rate stays at its peak until validation stalls, so that a run may end before its steps are used up. */
export function isOpenEnded({ optimiser }: Pick<TrainingConfig, 'optimiser'>): boolean {
  return optimiser.schedule.kind === 'plateau';
}

/** How many answers of a query a step gathers: facts are told by a mask, but for those whose relation is predicted. */
export function gatheredAnswers({
  targets,
  answers,
  relationPrediction,
}: Pick<TrainingConfig, 'targets' | 'answers' | 'relationPrediction'>): number {
  if (targets === 'drawn') return answers;
  return relationPrediction > 0 ? answers : 0;
}

/** Whether drawn answers stand for all known ones, which count and of which a sample of entities has not all. */
export function isOfDrawnAnswers({ loss, negatives }: Pick<TrainingConfig, 'loss' | 'negatives'>): boolean {
  return loss.knownAnswers === 'counted' && negatives.kind !== 'all';
}

/** Whether a step is told which of the compared entities are known answers: not where all entities count alike. */
export function isMasked(config: Pick<TrainingConfig, 'loss' | 'negatives'>): boolean {
  return config.loss.knownAnswers === 'masked' || isOfDrawnAnswers(config);
}

/**
 * Reads a training configuration; what it leaves out is taken from `defaults`, key by key.
 *
 * @throws FuzzError `config` with every key that does not exist (and the nearest that does) and every value out of
 *   range.
 */
export function parseTrainingConfig(value: unknown, defaults: TrainingConfig, path = '$'): TrainingConfig {
  const inWordsOfToday = withoutPenalty(value, { code: 'config', path });
  const merged = overlay(defaults, inWordsOfToday);
  try {
    return schema.parse(trainingConfigSchema, merged, {
      code: 'config',
      what: 'training configuration',
      path,
    });
  } catch (error) {
    throw error instanceof FuzzError ? withFamilyAdvice(error, merged) : error;
  }
}

/**
 * Reads the configuration that a run recorded; keys that it is older than have the value that says the same.
 *
 * @throws FuzzError `checkpoint`: it is none, or the run was imported or joined from others, so that it has none.
 */
export function recordedTrainingConfig(value: unknown, path: string): TrainingConfig {
  const origin = isPlain(value)
    ? Object.entries(untrained).find(([key]) => Object.hasOwn(value, key))
    : undefined;
  if (origin !== undefined)
    throw new FuzzError(
      'checkpoint',
      `the run was ${origin[1]} and not trained: there is nothing to go on from`,
      {
        path,
        hint: 'Train a run of its own in another folder.',
      },
    );
  const inWordsOfToday = withoutPenalty(value, { code: 'checkpoint', path });
  return schema.parse(trainingConfigSchema, inWordsOfToday, {
    code: 'checkpoint',
    what: 'configuration of the run',
    path,
  });
}

/** What stands instead of the configuration of runs that no training has made, and how they came to be. */
const untrained: Readonly<Record<string, string>> = {
  imported: 'imported from elsewhere',
  ensemble: 'joined from others',
};

/**
 * A configuration without `loss.penalty`, the former weight of N3, which says nothing where it is 0.
 *
 * Throws: where it is another number: what it acted on is not regularised any more, so no weight means the same.
 */
function withoutPenalty(
  value: unknown,
  { code, path }: { readonly code: 'config' | 'checkpoint'; readonly path: string },
): unknown {
  if (!isPlain(value) || !isPlain(value['loss']) || !('penalty' in value['loss'])) return value;
  const { penalty, ...loss } = value['loss'];
  if (penalty !== 0)
    throw new FuzzError(code, `"penalty" is no setting of the loss any more, got ${describeValue(penalty)}`, {
      path: `${path}.loss.penalty`,
      hint: 'regularisers are named by themselves, and n3 acts on p_e now: "regularisers": {"n3": {"weight": 1}}',
    });
  return { ...value, loss };
}

function isPlain(x: unknown): x is Record<string, unknown> {
  return typeof x === 'object' && x !== null && !Array.isArray(x);
}

// Lists of what takes part: one that is given leaves out what it does not name.
const whole: ReadonlySet<string> = new Set(['batch', 'weights', 'regularisers', 'links']);

/** `changes` over `base`; objects are merged, but for those of `whole`, and everything else replaced. */
function overlay(base: unknown, changes: unknown): unknown {
  if (!isPlain(base) || !isPlain(changes)) return changes;
  const changed = Object.entries(changes).map(([key, change]) => {
    const before = Object.hasOwn(base, key) ? base[key] : undefined;
    return [key, whole.has(key) ? change : overlay(before, change)];
  });
  // Not by assignment: "__proto__" would vanish instead of being refused.
  return Object.fromEntries([...Object.entries(base), ...changed]);
}
