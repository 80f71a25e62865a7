import { createRandom, type Random } from '@fuzzqe/core';
import { createQueriesBuilder, type Dataset, queryRow, type SampledQueries } from '@fuzzqe/data';
import { findTypeRelations } from '@fuzzqe/evidence';
import { defaultSets } from '@fuzzqe/export';
import { type ModelConfig, type Parameters, structuresOf } from '@fuzzqe/model';
import { evaluateRanking, type TrainingConfig, type Validation, type ValidationMode } from '@fuzzqe/train';
import { validShare } from '../evaluation/calibrate-run.ts';
import { fitLinks } from '../evaluation/fit-links.ts';
import { hiddenFacts, withEntailed } from '../evaluation/hidden-facts.ts';
import { degreesBy, type SetsEvidence, scorerOf, setsStateBy } from '../evaluation/open-checkpoint.ts';
import { type ServedParameters, serveParameters } from '../evaluation/serve-parameters.ts';

/** What validation ranks, and how. */
export interface ValidationTask {
  readonly dataset: Dataset;
  readonly config: TrainingConfig;
  /** Validation queries. */
  readonly queries: readonly SampledQueries[];
  readonly threads: number;
}

/** How many queries of each structure are ranked at most: more would slow the training down. */
const rankedAtMost: Readonly<Record<ValidationMode, number>> = { sets: 40, embedding: 250 };
/** The share of the usual number of links that weights of evidence are fitted on. */
const fittedPart = 0.05;

/**
 * Ranks hard answers of validation queries by parameters in training, as a bundle of the parameters would.
 *
 * In mode `sets` the training facts are recorded, and weights of evidence are fitted on links of the validation facts, without rules.
 * At most 40 queries of a structure are drawn in mode `sets` and 250 in mode `embedding`, the same ones for every run. Undefined without queries that have hard answers.
 * In mode `embedding` they are of the structures that the model's family embeds.
 */
export function createValidation(
  task: ValidationTask,
): ((parameters: Parameters) => Promise<Validation>) | undefined {
  const { dataset, config, threads } = task;
  const { mode } = config.validation;
  const random = createRandom('validation');
  const embedded = structuresOf(config.model);
  const queries = validatedQueries(task.queries)
    .filter(({ structure }) => mode === 'sets' || embedded.includes(structure))
    .map((part) => drawQueries(part, rankedAtMost[mode], random.fork(part.structure)));
  if (queries.length === 0) return undefined;
  const { train, trainValid } = dataset.graphs();
  const { entityCount, relationCount } = train;
  const model: ModelConfig = { ...config.model, entities: entityCount, relations: relationCount };
  const typeRelations = findTypeRelations(dataset.vocabulary);
  const usual = { ...defaultSets(model, typeRelations), facts: train };
  const known = hiddenFacts(train, withEntailed(trainValid, dataset.vocabulary), dataset.vocabulary);
  const evidenceOf = async ({ scores }: ServedParameters): Promise<SetsEvidence> => {
    const fitted = await fitLinks({
      ...{ ...known, rejected: dataset.rejected, knownShare: validShare(dataset) },
      ...{ rules: usual.rules, typeRelations, scores },
      part: fittedPart,
    });
    return {
      ...usual,
      entailed: known.entailed,
      ...(fitted === undefined ? {} : { weights: fitted.weights }),
    };
  };
  return async (parameters) => {
    const served = await serveParameters({ model, parameters, trained: train, threads });
    try {
      const answer =
        mode === 'sets' ? degreesBy(setsStateBy(served, await evidenceOf(served))) : served.similarities;
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
