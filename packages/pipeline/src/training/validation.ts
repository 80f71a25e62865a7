import { createRandom, type Random } from '@fuzzqe/core';
import type { ModelConfig, Parameters } from '@fuzzqe/core/model';
import { createQueriesBuilder, type Dataset, queryRow, type SampledQueries } from '@fuzzqe/data';
import { entailedGraph, findTypeRelations } from '@fuzzqe/evidence';
import { defaultSets } from '@fuzzqe/export';
import { evaluateRanking, type TrainingConfig, type Validation, validationMode } from '@fuzzqe/train';
import { degreesBy, scorerOf } from '../evaluation/open-checkpoint.ts';
import { serveParameters } from '../evaluation/serve-parameters.ts';

/** What validation ranks, and how. */
export interface ValidationTask {
  readonly dataset: Dataset;
  readonly config: TrainingConfig;
  /** Validation queries. */
  readonly queries: readonly SampledQueries[];
  readonly threads: number;
}

/** How many queries of each structure are ranked at most: more would take longer than a tenth of the training. */
const rankedAtMost = 250;

/**
 * Ranks hard answers of validation queries by parameters in training, as a bundle of the parameters would.
 *
 * In mode `sets` the training facts are recorded and links have the default weights of evidence, without rules. Of more than 250 queries of a structure the seed draws 250.
 * Undefined without queries that have hard answers.
 */
export function createValidation(
  task: ValidationTask,
): ((parameters: Parameters) => Promise<Validation>) | undefined {
  const { dataset, config, threads } = task;
  const random = createRandom('validation', config.seed);
  const queries = validatedQueries(task.queries).map((part) =>
    drawQueries(part, rankedAtMost, random.fork(part.structure)),
  );
  if (queries.length === 0) return undefined;
  const { train } = dataset.graphs();
  const { entityCount, relationCount } = train;
  const model: ModelConfig = { ...config.model, entities: entityCount, relations: relationCount };
  const evidence = {
    ...defaultSets(model, findTypeRelations(dataset.vocabulary)),
    facts: train,
    entailed: entailedGraph(train, dataset.vocabulary),
  };
  const mode = validationMode(config);
  return async (parameters) => {
    const served = await serveParameters({ model, parameters, trained: train, threads });
    try {
      const answer = mode === 'sets' ? degreesBy(served, evidence) : served.similarities;
      const { structures } = await evaluateRanking({
        queries,
        score: scorerOf(entityCount, answer),
        entityCount,
      });
      const each = Object.entries(structures).map(([name, { mrr }]) => [name, mrr] as const);
      const mrr = each.reduce((sum, [, value]) => sum + value, 0) / each.length;
      return { mrr, structures: Object.fromEntries(each) };
    } finally {
      await served.close();
    }
  };
}

/** The queries that validation can rank: those with hard answers. Parts of which none is left are left out. */
export function validatedQueries(queries: readonly SampledQueries[]): SampledQueries[] {
  return queries
    .map((part) => {
      const { offsets } = part.hard;
      return chosenRows(part, (row) => offsets[row + 1]! > offsets[row]!);
    })
    .filter(({ count }) => count > 0);
}

/** As many queries as wanted, drawn without replacement, in their order. */
function drawQueries(queries: SampledQueries, wanted: number, random: Random): SampledQueries {
  let needed = wanted;
  return chosenRows(queries, (row) => {
    const isChosen = random.below(queries.count - row) < needed;
    if (isChosen) needed -= 1;
    return isChosen;
  });
}

function chosenRows(queries: SampledQueries, isChosen: (row: number) => boolean): SampledQueries {
  const rows = Array.from({ length: queries.count }, (_, row) => row).filter(isChosen);
  if (rows.length === queries.count) return queries;
  const builder = createQueriesBuilder(queries.shape);
  for (const row of rows) builder.add(queryRow(queries, row));
  return builder.build();
}
