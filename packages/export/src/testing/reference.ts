import type { Template } from '@fuzzqe/core/query';
import { createProgram, evaluate, gather, input, type NumericTensor, numeric } from '@fuzzqe/core/tensor';
import {
  centroidsIn,
  embedTemplate,
  entityEmbedding,
  logicOf,
  type ModelConfig,
  numericParameters,
  relationDomains,
  relationProjection,
  relationWeights,
  scores,
  trainedParameters,
} from '@fuzzqe/model';
import type { TrainedModel } from '../weights/write-weights.ts';

/** Queries of one structure: a row each. */
export interface Queries {
  readonly anchors: readonly (readonly number[])[];
  readonly relations: readonly (readonly number[])[];
}

/**
 * S_q and φ(q, e) for all e in float64, straight from the trained tensors.
 *
 * It knows nothing of exported tables, layouts or files, so that it can contradict them.
 */
export function referenceAnswers(
  config: ModelConfig,
  { parameters, graph }: TrainedModel,
  template: Template,
  { anchors, relations }: Queries,
): { readonly embedding: NumericTensor; readonly scores: NumericTensor } {
  const trained = trainedParameters(config);
  const entities = entityEmbedding(config, trained.entities);
  const table = relationWeights(config, trained);
  const anchorIds = anchors[0]!.map((_, slot) => input(`anchor ${slot}`, 'int', ['batch']));
  const relationIds = relations[0]!.map((_, slot) => input(`relation ${slot}`, 'int', ['batch']));
  const centroid = centroidsIn(config, entities, relationDomains(graph));
  const embedding = embedTemplate(logicOf(config), template, {
    anchor: (slot) => gather(entities, anchorIds[slot]!),
    project: (slot, from) => relationProjection(config, table, from, relationIds[slot]!),
    centroid: centroid && ((slot, from) => centroid(from, relationIds[slot]!)),
  });
  const program = createProgram({
    name: 'referenceAnswers',
    inputs: [...anchorIds, ...relationIds],
    outputs: { embedding, scores: scores(config, embedding, entities) },
  });
  const columns = (kind: string, rows: readonly (readonly number[])[]): [string, NumericTensor][] =>
    rows[0]!.map((_, slot) => [
      `${kind} ${slot}`,
      numeric(
        [rows.length],
        rows.map((row) => row[slot]!),
      ),
    ]);
  const result = evaluate(program, {
    ...numericParameters(config, parameters),
    ...Object.fromEntries([...columns('anchor', anchors), ...columns('relation', relations)]),
  });
  return { embedding: result['embedding']!, scores: result['scores']! };
}
