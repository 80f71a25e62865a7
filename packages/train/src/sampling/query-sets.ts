import {
  FuzzError,
  type KnowledgeGraph,
  type Random,
  type StructureName,
  structureNames,
  structures,
} from '@fuzzqe/core';
import type { Dataset } from '../datasets/dataset.ts';
import { sampleQueries } from './sample-queries.ts';
import type { SampledQueries } from './sampled-queries.ts';

/** The queries of one data set: to train on, to choose the best parameters by, and to report. */
export interface QuerySets {
  /** Without 1p, which training draws from the graph's own edges. */
  readonly train: readonly SampledQueries[];
  readonly valid: readonly SampledQueries[];
  readonly test: readonly SampledQueries[];
}

/** How many queries of each structure to sample for each set. */
export interface QuerySetSizes {
  readonly train: number;
  readonly valid: number;
  readonly test: number;
}

/** How to sample the sets of a data set. */
export interface QuerySetOptions {
  readonly sizes: QuerySetSizes;
  readonly random: Random;
  readonly onProgress?: (done: number, total: number) => void;
  readonly signal?: AbortSignal;
}

/**
 * Samples the training queries of the paper's ten structures and the validation and test queries of all fourteen.
 *
 * Answers of training queries are those on the training graph. A validation query's hard answers need a validation
 * fact, a test query's a test fact. A small graph may have fewer queries of a structure than were asked for.
 *
 * @throws FuzzError `data`: a structure of which the held-out facts give no query at all. `interrupted`.
 */
export async function sampleQuerySets(dataset: Dataset, options: QuerySetOptions): Promise<QuerySets> {
  const { train, trainValid, full } = dataset.graphs();
  const trained = structureNames.filter((name) => structures[name].trained && name !== '1p');
  const plan: readonly {
    readonly set: keyof QuerySets;
    readonly names: readonly StructureName[];
    readonly smaller: KnowledgeGraph | null;
    readonly larger: KnowledgeGraph;
  }[] = [
    { set: 'train', names: trained, smaller: null, larger: train },
    { set: 'valid', names: structureNames, smaller: train, larger: trainValid },
    { set: 'test', names: structureNames, smaller: trainValid, larger: full },
  ];
  const total = plan.reduce((sum, { set, names }) => sum + names.length * options.sizes[set], 0);
  const sets: Record<keyof QuerySets, SampledQueries[]> = { train: [], valid: [], test: [] };
  let before = 0;
  for (const { set, names, smaller, larger } of plan)
    for (const structure of names) {
      const count = options.sizes[set];
      if (count === 0) continue;
      const queries = await sampleQueries({
        structure,
        count,
        smaller,
        larger,
        random: options.random.fork(set, structure),
        onProgress: (done) => options.onProgress?.(before + done, total),
        ...(options.signal === undefined ? {} : { signal: options.signal }),
      });
      if (queries.count === 0)
        throw new FuzzError('data', `no ${set} query of the structure ${structure} could be found`, {
          path: dataset.name,
          hint: 'the graph is too small, or too few facts are held out; hold out more, or add facts',
        });
      sets[set].push(queries);
      before += count;
    }
  options.onProgress?.(total, total);
  return sets;
}
