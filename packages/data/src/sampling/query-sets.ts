import { expectOptions, FuzzError, type KnowledgeGraph, type Random } from '@fuzzqe/core';
import { structureNames, structures } from '@fuzzqe/core/query';
import type { Dataset } from '../datasets/dataset.ts';
import { type QueryStructure, structureOf } from '../queries/query-structure.ts';
import type { SampledQueries } from '../queries/sampled-queries.ts';
import { enumerateProjections } from './enumerate-projections.ts';
import type { AddedRules } from './rules.ts';
import { sampleQueries } from './sample-queries.ts';
import { createSamplingPool, type SamplingPool } from './sampling-pool.ts';

/** The queries of one data set: to train on, to choose the best parameters by, and to report. */
export interface QuerySets {
  /** Without 1p, which training draws from the graph's own edges, unless 1p was to be listed. */
  readonly train: readonly SampledQueries[];
  readonly valid: readonly SampledQueries[];
  readonly test: readonly SampledQueries[];
  /** Queries of the user's own structures, for evaluation. */
  readonly own: Readonly<Record<'valid' | 'test', readonly SampledQueries<string>[]>>;
  /** The structures of which queries were asked for and none was found: small graphs do not have all of them. */
  readonly missing: Readonly<Record<'train' | 'valid' | 'test', readonly string[]>>;
}

/** How many queries of each structure to sample for each set. */
export interface QuerySetSizes {
  readonly train: number;
  /** Training queries of each structure with a negation; the published sets have a tenth of the others. Default `train`. */
  readonly trainNegation?: number;
  readonly valid: number;
  readonly test: number;
}

/** How to sample the sets of a data set. */
export interface QuerySetOptions {
  readonly sizes: QuerySetSizes;
  readonly random: Random;
  /** Lists every 1p query in all three sets instead of sampling some, as the published sets do. */
  readonly every1p?: boolean;
  /** Structures beside the 14, of which validation and test queries are sampled. */
  readonly own?: readonly QueryStructure[];
  /** The most answers a sampled query may have. Default 100. */
  readonly maxAnswers?: number;
  /** Rules beside those of BetaE. Default none. */
  readonly rules?: AddedRules;
  /** Threads to draw with beside this one; the sets do not depend on it. Default 0. */
  readonly workers?: number;
  readonly onProgress?: (done: number, total: number) => void;
  readonly signal?: AbortSignal;
}

/** One line of what is to be sampled. */
interface Task<Name extends string> {
  readonly set: 'train' | 'valid' | 'test';
  readonly structure: QueryStructure<Name>;
  readonly count: number;
}

/** What the queries of a set are drawn from. */
interface SetGraphs {
  readonly smaller: KnowledgeGraph | null;
  readonly larger: KnowledgeGraph;
  readonly pool: SamplingPool;
}

/**
 * Samples the training queries of the paper's ten structures and the validation and test queries of all fourteen.
 *
 * Answers of training queries are those on the training graph. A validation query's hard answers need a validation
 * fact, a test query's a test fact. A small graph may have fewer queries of a structure than were asked for, or none.
 *
 * @throws FuzzError `data`: validation or test queries without held-out facts, or a set of which no query at all was
 *   found. `interrupted`.
 * @example
 * const sizes = { train: 1000, valid: 50, test: 250 };
 * const queries = await sampleQuerySets(dataset, { sizes, random: createRandom('queries', 1) });
 */
export async function sampleQuerySets(dataset: Dataset, options: QuerySetOptions): Promise<QuerySets> {
  expectOptions('sampleQuerySets', options, ['sizes', 'random']);
  const { sizes, every1p = false, own = [] } = options;
  for (const [set, size] of Object.entries(sizes))
    if (size !== undefined && !(Number.isInteger(size) && size >= 0))
      throw new FuzzError('range', `sizes.${set}: expected a whole number from 0 on, got ${size}`, {
        path: `sizes.${set}`,
        hint: 'It is how many queries of each structure are drawn; 0 draws none.',
      });
  const graphs = dataset.graphs();
  // Graphs that no set asks for are not made: each takes memory as large as the data set.
  const graphsOf = (set: Task<string>['set']): Omit<SetGraphs, 'pool'> => {
    if (set === 'train') return { smaller: null, larger: graphs.train };
    if (set === 'valid') return { smaller: graphs.train, larger: graphs.trainValid };
    return { smaller: graphs.trainValid, larger: graphs.full };
  };
  const evaluated = ['valid', 'test'] as const;
  // At the door: after minutes of sampling the other sets, it would be late.
  for (const set of evaluated)
    if (sizes[set] > 0 && !hasHeldOutFacts(dataset, set))
      throw new FuzzError(
        'data',
        `no ${set} queries can be sampled: the data set holds out no ${set} facts`,
        {
          path: dataset.name,
          hint: `ask for none (--${set} 0), or hold facts out`,
        },
      );
  const published = structureNames.map((name) => structureOf(name));
  const plan = [
    ...published
      .filter(({ name }) => structures[name].trained && (name !== '1p' || every1p))
      .map((structure) => {
        const count = structure.negation ? (sizes.trainNegation ?? sizes.train) : sizes.train;
        return { set: 'train' as const, structure, count };
      }),
    ...evaluated.flatMap((set) => published.map((structure) => ({ set, structure, count: sizes[set] }))),
  ].filter(({ count }) => count > 0);
  const ownPlan = evaluated
    .flatMap((set) => own.map((structure) => ({ set, structure, count: sizes[set] })))
    .filter(({ count }) => count > 0);

  const total = [...plan, ...ownPlan].reduce((sum, { count }) => sum + count, 0);
  let before = 0;
  const run = async <Name extends string>(
    { set, structure, count }: Task<Name>,
    { smaller, larger, pool }: SetGraphs,
  ): Promise<SampledQueries<Name>> => {
    const queries = await sampleQueries<Name>({
      ...{ structure, count, smaller, larger },
      random: options.random.fork(set, structure.name),
      pool,
      onProgress: (done) => options.onProgress?.(before + done, total),
      ...(options.rules === undefined ? {} : { rules: options.rules }),
      ...(options.maxAnswers === undefined ? {} : { maxAnswers: options.maxAnswers }),
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    });
    before += count;
    return queries;
  };
  const missing: Record<Task<string>['set'], string[]> = { train: [], valid: [], test: [] };
  const keep = <Name extends string>(
    queries: SampledQueries<Name>,
    task: Task<Name>,
    to: SampledQueries<Name>[],
  ) => {
    if (queries.count > 0) to.push(queries);
    else missing[task.set].push(task.structure.name);
  };

  const sets: Record<'train' | 'valid' | 'test', SampledQueries[]> = { train: [], valid: [], test: [] };
  const ownSets: Record<'valid' | 'test', SampledQueries<string>[]> = { valid: [], test: [] };
  // One set after the other: the graphs of all three would be there at once.
  for (const set of ['train', 'valid', 'test'] as const) {
    const [tasks, ownTasks] = [
      plan.filter((task) => task.set === set),
      ownPlan.filter((task) => task.set === set),
    ];
    if (tasks.length + ownTasks.length === 0) continue;
    const { smaller, larger } = graphsOf(set);
    const needed = smaller === null ? [larger] : [smaller, larger];
    const pool = createSamplingPool({ graphs: needed, workers: options.workers ?? 0 });
    try {
      for (const task of tasks) {
        if (task.structure.name !== '1p' || !every1p) {
          keep(await run(task, { smaller, larger, pool }), task, sets[set]);
          continue;
        }
        keep(enumerateProjections({ smaller, larger }), task, sets[set]);
        before += task.count;
      }
      if (set !== 'train')
        for (const task of ownTasks) keep(await run(task, { smaller, larger, pool }), task, ownSets[set]);
    } finally {
      await pool.close();
    }
  }
  for (const set of ['train', 'valid', 'test'] as const)
    if (missing[set].length > 0 && sets[set].length === 0) throw noQueries(dataset, set);
  options.onProgress?.(total, total);
  return { ...sets, own: ownSets, missing };
}

/** Whether a data set holds facts out for a set of evaluation queries, without which there are none. */
export function hasHeldOutFacts(dataset: Dataset, set: 'valid' | 'test'): boolean {
  return dataset[set].length > 0;
}

function noQueries(dataset: Dataset, set: string): FuzzError {
  return new FuzzError('data', `no ${set} query of any structure could be found: the graph is too small`, {
    path: dataset.name,
    hint: 'Add facts: a query needs some that share an entity, and evaluation some that are held out.',
  });
}
