import type { KnowledgeGraph } from '@fuzzqe/core';
import { createProgram, evaluate, gather, input, numeric } from '@fuzzqe/core/tensor';
import type { QueryScorer, SampledQueries } from '@fuzzqe/data';
import {
  centroidsIn,
  embedTemplate,
  entityEmbedding,
  logicOf,
  type ModelConfig,
  numericParameters,
  type Parameters,
  relationDomains,
  relationProjection,
  relationWeights,
  scores,
  trainedParameters,
} from '@fuzzqe/model';
import type { TrainingConfig } from '../config.ts';
import { evaluateRanking } from '../evaluation/evaluate-ranking.ts';
import type { Validation } from '../reporting/log-entry.ts';

/** The scores of queries in float64, by the formulas of the model. Centroids have their heads from `graph`. */
export function float64Scorer(
  model: ModelConfig,
  graph: KnowledgeGraph,
  parameters: Parameters,
): QueryScorer {
  const trained = trainedParameters(model);
  const weights = relationWeights(model, trained);
  const table = entityEmbedding(model, trained.entities);
  const centroid = centroidsIn(model, table, relationDomains(graph));
  return async ({ template, anchors: a, relations: r }, anchors, relations, rows) => {
    const slots = [
      ...Array.from({ length: a }, (_, slot) => [`anchor ${slot}`, anchors, a, slot] as const),
      ...Array.from({ length: r }, (_, slot) => [`relation ${slot}`, relations, r, slot] as const),
    ];
    const ids = (name: string) => input(name, 'int', ['n']);
    const query = embedTemplate(logicOf(model), template, {
      anchor: (slot) => gather(table, ids(`anchor ${slot}`)),
      project: (slot, from) => relationProjection(model, weights, from, ids(`relation ${slot}`)),
      centroid: centroid && ((slot, from) => centroid(from, ids(`relation ${slot}`))),
    });
    const program = createProgram({
      name: 'reference',
      inputs: slots.map(([name]) => ids(name)),
      outputs: { all: scores(model, query, table) },
    });
    const found = evaluate(program, {
      ...numericParameters(model, parameters),
      ...Object.fromEntries(
        slots.map(([name, data, width, slot]) => [
          name,
          numeric(
            [rows],
            Int32Array.from({ length: rows }, (_, row) => data[row * width + slot]!),
          ),
        ]),
      ),
    });
    return Float32Array.from(found['all']!.data);
  };
}

/** A validation for tests of training: by float64, in mode `embedding`. Undefined without queries. */
export function float64Validation(
  config: TrainingConfig,
  graph: KnowledgeGraph,
  queries: readonly SampledQueries[],
): ((parameters: Parameters) => Promise<Validation>) | undefined {
  if (queries.length === 0) return undefined;
  const model = { ...config.model, entities: graph.entityCount, relations: graph.relationCount };
  return async (parameters) => {
    const { structures } = await evaluateRanking({
      ...{ queries, entityCount: graph.entityCount },
      score: float64Scorer(model, graph, parameters),
    });
    const each = Object.entries(structures).map(([name, { mrr }]) => [name, mrr] as const);
    return {
      mrr: each.reduce((sum, [, mrr]) => sum + mrr, 0) / each.length,
      structures: Object.fromEntries(each),
    };
  };
}
