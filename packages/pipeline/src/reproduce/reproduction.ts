import { schema } from '@fuzzqe/core';
import { readWholeFile } from '@fuzzqe/files';
import { type Environment, environmentSchema } from '@fuzzqe/train';
import { type ReproducedTable, reproducedTables } from './table-kinds.ts';

/** Figures by column, in the unit of the table. */
export type Figures = Readonly<Record<string, number>>;

/** What one trained model gave in one mode. */
export interface SeedFigures {
  readonly seed: number;
  readonly figures: Figures;
  /** The step of the parameters that were measured, and the step that training reached. */
  readonly best: number;
  readonly step: number;
  /** Why training ended. */
  readonly ended: string;
  /** For a broken law, queries and an entity for which the law does not hold. */
  readonly examples?: Readonly<Record<string, string>>;
}

/**
 * The states of a row. `reached`: every run ended by its own rule. `stopped`: the call's minutes or steps ended a run.
 * `open`: a run is missing. `refused`: the family cannot be trained for this table. `untrained`: the row has no model, so it has one run for all seeds.
 */
export const rowStates = ['reached', 'stopped', 'open', 'refused', 'untrained'] as const;
export type RowState = (typeof rowStates)[number];

/** What stands for a family in the row without a model. */
export const withoutModel = 'none';

/** A family in one mode. */
export interface ReproducedRow {
  /** `withoutModel` in the row without a model. */
  readonly family: string;
  /** Absent if no run of the family has ended. */
  readonly mode?: string;
  readonly state: RowState;
  /** Why the family is refused. */
  readonly reason?: string;
  readonly runs: readonly SeedFigures[];
}

/** A row that the paper prints. */
export interface PublishedRow {
  readonly method: string;
  readonly source: string;
  readonly figures: Figures;
}

/** A table with our figures and those of the paper. */
export interface Reproduction {
  readonly format: 'fuzzqe-reproduction';
  readonly version: 1;
  readonly table: ReproducedTable;
  readonly data: {
    readonly name: string;
    /** `hashDataset`. */
    readonly sha256: string;
    readonly entities: number;
    readonly relations: number;
    /** Training facts. */
    readonly facts: number;
  };
  readonly queries: {
    readonly part: 'valid' | 'test';
    /** `betae` for the official ones, `drawn` for those drawn here, or the name of another set. */
    readonly set: string;
    /** At most this many of each structure are asked. */
    readonly each: number;
    /** How many are asked, and how many there are. */
    readonly count: number;
    readonly of: number;
    readonly sha256: string;
  };
  readonly seeds: readonly number[];
  /** The bounds that were given for the training of each run. */
  readonly bounds: { readonly minutes?: number; readonly steps?: number };
  readonly rows: readonly ReproducedRow[];
  readonly published: readonly PublishedRow[];
  /** What differs between two computations of the same figures. */
  readonly made: { readonly date: string; readonly machine: Environment; readonly command: string };
}

const { array, integer, object, oneOf, optional, record, number, string } = schema;
const figures = record(number());
const count = integer({ min: 0 });

/** Reads the figures of a run from JSON. */
export const seedFiguresSchema: schema.Schema<SeedFigures> = object({
  ...{ seed: count, figures, best: count, step: count, ended: string },
  examples: optional(record(string)),
});

/** Reads a table from JSON. */
export const reproductionSchema: schema.Schema<Reproduction> = object({
  format: oneOf(['fuzzqe-reproduction']),
  version: oneOf([1]),
  table: oneOf(reproducedTables),
  data: object({ name: string, sha256: string, entities: count, relations: count, facts: count }),
  queries: object({
    ...{ part: oneOf(['valid', 'test']), set: string, each: count, count, of: count, sha256: string },
  }),
  seeds: array(count),
  bounds: object({ minutes: optional(number({ above: 0 })), steps: optional(integer({ min: 1 })) }),
  rows: array(
    object({
      family: string,
      mode: optional(string),
      state: oneOf(rowStates),
      reason: optional(string),
      runs: array(seedFiguresSchema),
    }),
  ),
  published: array(object({ method: string, source: string, figures })),
  made: object({ date: string, machine: environmentSchema, command: string }),
});

/**
 * Reads the JSON of a table.
 *
 * @throws FuzzError `data`: the file is missing, no JSON, or something else.
 * @example
 * const { rows } = await readReproduction('runs/reproduce/links.json');
 */
export async function readReproduction(path: string): Promise<Reproduction> {
  const text = (await readWholeFile(path)).toString('utf8');
  return schema.parseJson(reproductionSchema, text, { code: 'data', what: 'reproduced table', path });
}

/** Mean of the runs' figures, and their sample standard deviation if there are several; columns that a run lacks are left out. */
export function meanOfRuns(runs: readonly SeedFigures[]): {
  readonly mean: Figures;
  readonly deviation?: Figures;
} {
  const [first] = runs;
  if (first === undefined) return { mean: {} };
  const columns = Object.keys(first.figures).filter((column) => runs.every((run) => column in run.figures));
  const valuesOf = (column: string): number[] => runs.map((run) => run.figures[column]!);
  const meanOf = (values: readonly number[]): number =>
    values.reduce((sum, each) => sum + each, 0) / values.length;
  const deviationOf = (values: readonly number[]): number =>
    Math.sqrt(values.reduce((sum, each) => sum + (each - meanOf(values)) ** 2, 0) / (values.length - 1));
  const by = (of: (values: readonly number[]) => number): Figures =>
    Object.fromEntries(columns.map((column) => [column, of(valuesOf(column))]));
  return runs.length === 1 ? { mean: by(meanOf) } : { mean: by(meanOf), deviation: by(deviationOf) };
}
