import { dirname, isAbsolute, join } from 'node:path';
import { schema } from '@fuzzqe/core';
import { type StructureName, structureNames } from '@fuzzqe/core/query';
import { pathExists, readWholeFile } from '@fuzzqe/files';

/** What a parameter may be: one of the four forms. Ranges include both ends. */
export interface ParameterSpace {
  readonly choices?: readonly unknown[];
  readonly uniform?: readonly number[];
  readonly logUniform?: readonly number[];
  readonly integer?: readonly number[];
  /** So many values of a `uniform` or `logUniform` range, from end to end, for a grid. */
  readonly points?: number;
}

/** When a trial is stopped before its end, by its validations next to those of other trials. */
export type Pruning =
  | {
      readonly kind: 'median';
      /** Trials that have to end by themselves before any is pruned. */
      readonly startup: number;
      /** Steps before which none is. */
      readonly warmupSteps: number;
    }
  | {
      readonly kind: 'halving';
      /** Steps to the first rung. */
      readonly first: number;
      /** One of so many trials goes on at a rung, and so many times its steps lead to the next. */
      readonly factor: number;
    };

/** What trials are compared by: the validation MRR of the parameters that a run keeps, as the mean or of one structure. */
export interface Objective {
  readonly metric: 'mrr' | StructureName;
  readonly direction: 'maximize' | 'minimize';
}

/** A search through training configurations, as a file says it. */
export interface SweepFile {
  /** Folder of the data set, seen from the folder of the file. */
  readonly data?: string;
  /** What trials differ from: a preset, or a file, seen from the folder of this one. */
  readonly config?: string;
  readonly strategy: 'random' | 'grid';
  /** Of a grid at most all its points, which is the default. */
  readonly trials?: number;
  readonly seed: number;
  /** By their path in the configuration, as in `optimiser.learningRate`. */
  readonly parameters: Readonly<Record<string, ParameterSpace>>;
  readonly objective: Objective;
  readonly pruning?: Pruning;
  /** What a trial may take: steps, instead of the configuration's, and minutes of training. */
  readonly budget: { readonly steps?: number; readonly minutes?: number };
}

/** The most trials of a sweep: their configurations are all checked before the first. */
export const mostTrials = 10_000;

const { anything, array, checked, integer, number, object, oneOf, optional, record, string, union } = schema;
const { withDefault } = schema;

function range(item: schema.Schema<number>): schema.Schema<readonly number[]> {
  return checked(array(item, { min: 2, max: 2 }), ([least, most], report) => {
    if (least! > most!) report([], 'the least and then the most', `[${least}, ${most}]`);
  });
}

const forms = ['choices', 'uniform', 'logUniform', 'integer'] as const;
const space: schema.Schema<ParameterSpace> = checked(
  object({
    choices: optional(array(anything, { min: 1, max: 1000 })),
    uniform: optional(range(number())),
    logUniform: optional(range(number({ above: 0 }))),
    integer: optional(range(integer())),
    points: optional(integer({ min: 1, max: 1000 })),
  }),
  (read, report) => {
    const named = forms.filter((form) => read[form] !== undefined);
    if (named.length !== 1) report([], `one of ${forms.join(', ')}`, named.join(' and ') || 'none');
    if (read.points !== undefined && read.uniform === undefined && read.logUniform === undefined)
      report(['points'], 'none but for uniform and logUniform', String(read.points));
  },
);

const pruning: schema.Schema<Pruning> = union([
  object({
    kind: oneOf(['median']),
    startup: withDefault(integer({ min: 1 }), 5),
    warmupSteps: withDefault(integer({ min: 0 }), 0),
  }),
  object({
    kind: oneOf(['halving']),
    first: integer({ min: 1 }),
    factor: withDefault(integer({ min: 2, max: 100 }), 3),
  }),
]);

const sweepFields = {
  data: optional(string),
  config: optional(string),
  strategy: withDefault(oneOf(['random', 'grid']), 'random'),
  trials: optional(integer({ min: 1, max: mostTrials })),
  seed: withDefault(integer({ min: 0 }), 1),
  parameters: record(space),
  objective: withDefault(
    object({
      metric: withDefault(oneOf(['mrr', ...structureNames]), 'mrr'),
      direction: withDefault(oneOf(['maximize', 'minimize']), 'maximize'),
    }),
    { metric: 'mrr', direction: 'maximize' },
  ),
  pruning: optional(pruning),
  budget: withDefault(
    object({ steps: optional(integer({ min: 1 })), minutes: optional(number({ above: 0 })) }),
    {},
  ),
} as const;

/** A sweep from JSON. */
export const sweepFileSchema: schema.Schema<SweepFile> = checked(object(sweepFields), (read, report) => {
  const { strategy, trials, parameters, budget } = read;
  const paths = Object.keys(parameters);
  if (paths.length === 0) report(['parameters'], 'at least one', 'none');
  if (strategy === 'random' && trials === undefined) report(['trials'], 'how many', 'undefined');
  if (budget.steps !== undefined && paths.includes('steps'))
    report(['budget', 'steps'], 'none where "steps" is a parameter', String(budget.steps));
  for (const path of paths) {
    const { points, uniform, logUniform } = parameters[path]!;
    const below = paths.find((other) => other.startsWith(`${path}.`));
    if (below !== undefined) report(['parameters', below], `it to lie outside of "${path}"`, 'both');
    if (strategy === 'random' && points !== undefined)
      report(['parameters', path, 'points'], 'none: a grid has points', String(points));
    if (strategy === 'grid' && points === undefined && (uniform ?? logUniform) !== undefined)
      report(['parameters', path, 'points'], 'how many the grid has', 'undefined');
  }
});

/**
 * Reads a sweep from its file; `data` and a `config` that is a file are given as paths from here.
 *
 * @throws FuzzError `config`: it is no JSON, has an unknown key, an empty list of choices, a range the wrong way round.
 * @example
 * const { parameters } = await readSweepFile('sweep.json');
 */
export async function readSweepFile(path: string): Promise<SweepFile> {
  const text = (await readWholeFile(path, 'config')).toString('utf8');
  const named = { code: 'config', what: 'sweep', path } as const;
  const value = schema.parseJson(anything, text, named);
  const sweep = schema.parse(sweepFileSchema, withoutSchema(value), named);
  const from = (name: string): string => (isAbsolute(name) ? name : join(dirname(path), name));
  const { data, config } = sweep;
  const configFile = config !== undefined && (await pathExists(from(config))) ? from(config) : config;
  return {
    ...sweep,
    ...(data === undefined ? {} : { data: from(data) }),
    ...(configFile === undefined ? {} : { config: configFile }),
  };
}

/** A file may say where its JSON schema lies, for editors. */
function withoutSchema(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const { $schema: _, ...sweep } = value as Record<string, unknown>;
  return sweep;
}
