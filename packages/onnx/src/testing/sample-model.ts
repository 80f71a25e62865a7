import { type StructureName, structures } from '@fuzzqe/core/query';
import {
  createProgram,
  gather,
  input,
  labelled,
  type Program,
  reshape,
  slice,
  topKIndices,
  topKValues,
} from '@fuzzqe/core/tensor';
import {
  embedTemplate,
  entityEmbedding,
  logicOf,
  type ModelConfig,
  plainModel,
  relationProjection,
  relationWeights,
  scores,
  trainedParameters,
} from '@fuzzqe/model';

/** A model that is large enough to have all of its parts. */
export const sampleConfig: ModelConfig = {
  entities: 12,
  relations: 4,
  ...plainModel,
  projectionInput: 'raw',
};

/** A whole query structure: anchors and relations in, the k best entities out. */
export function structureProgram(name: StructureName, config: ModelConfig = sampleConfig): Program {
  const { template, ...slots } = structures[name];
  const anchors = input('anchors', 'int', ['batch', slots.anchors]);
  const relations = input('relations', 'int', ['batch', slots.relations]);
  const k = input('k', 'int', [1]);
  const trained = trainedParameters(config);
  const table = relationWeights(config, trained);
  const entities = entityEmbedding(config, trained.entities);
  const column = (ids: typeof anchors, at: number) => reshape(slice(ids, at, at + 1, 1), ['batch']);
  const query = embedTemplate(logicOf(config), template, {
    anchor: (slot) => gather(entities, column(anchors, slot)),
    project: (relation, from) => relationProjection(config, table, from, column(relations, relation)),
    centroid: undefined,
  });
  const all = scores(config, labelled('query', query), entities);
  return createProgram({
    name: `structure-${name}`,
    description: `Answers a batch of ${name} queries.`,
    inputs: [anchors, relations, k],
    outputs: { ids: topKIndices(all, k), scores: topKValues(all, k) },
  });
}
