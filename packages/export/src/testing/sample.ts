import { createKnowledgeGraph, createRandom } from '@fuzzqe/core';
import { defaultProjection } from '@fuzzqe/core/sets';
import { defaultWeights, type Rule } from '@fuzzqe/evidence';
import { initialiseParameters, type ModelConfig, plainModel } from '@fuzzqe/model';
import { createVocabulary } from '@fuzzqe/names';
import type { ExportOptions } from '../bundle/export-options.ts';
import { randomGoldenQueries } from '../golden/golden-query.ts';

/** A tiny model's configuration. */
export const sampleConfig: ModelConfig = {
  entities: 40,
  relations: 6,
  ...plainModel,
  dimension: 16,
  bases: 4,
  entityNormalisation: 'l1',
  projectionInput: 'raw',
};

/** The same with relations that are blocks. */
export const blocksConfig: ModelConfig = { ...sampleConfig, relationForm: 'blocks' };

/** A rule of each form. */
const sampleRules: readonly Rule[] = [
  { kind: 'path', relation: 0, path: [2], hits: 6, predictions: 9 },
  { kind: 'path', relation: 0, path: [4, 3], hits: 3, predictions: 20 },
  { kind: 'constant', relation: 2, tail: 5, body: { relation: 4, tail: 3 }, hits: 4, predictions: 5 },
];

/** Everything that a bundle of a random model needs, except where to put it. */
export function sampleExport(config: ModelConfig = sampleConfig): Omit<ExportOptions, 'directory'> {
  const random = createRandom('sample bundle');
  const { entities, relations } = config;
  const triples = Array.from({ length: 3 * entities }, () => [
    random.below(entities),
    2 * random.below(relations / 2),
    random.below(entities),
  ]).flat();
  const names = (kind: string, count: number) =>
    Array.from({ length: count }, (_, i) => ({ key: `${kind}${i}`, label: `${kind} number ${i}` }));
  const trained = initialiseParameters(config, random);
  const isBlocks = config.relationForm === 'blocks';
  return {
    name: 'sample',
    config,
    // Untrained coefficients are near zero, where all relations do the same; these tell them apart.
    parameters: {
      ...trained,
      coefficients: trained.coefficients.map((value) => 4 * value),
      // The size of trained numbers: with blocks a start is nearly flat.
      entities: isBlocks ? trained.entities.map((value) => 7 * value) : trained.entities,
    },
    vocabulary: createVocabulary({ entities: names('e', entities), relations: names('r', relations / 2) }),
    graph: createKnowledgeGraph({
      entityCount: entities,
      relationCount: relations,
      triples: Int32Array.from(triples),
    }),
    data: { name: 'random', licence: 'CC0-1.0' },
    training: { seed: 1, steps: 0 },
    metrics: {},
    sets: {
      projection: defaultProjection,
      weights: defaultWeights(relations, { temperature: isBlocks ? 1 : 20 }),
      rules: { relationCount: relations, rules: sampleRules },
      fitted: null,
      reliability: null,
    },
    goldenQueries: randomGoldenQueries(config, 3, random.fork('golden')),
    k: 10,
  };
}
