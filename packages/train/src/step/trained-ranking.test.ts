import { createRandom } from '@fuzzqe/core';
import { createProgram, evaluate, gather, input, type NumericTensors, numeric } from '@fuzzqe/core/tensor';
import {
  entityEmbedding,
  type ModelConfig,
  mappingNames,
  normalisationNames,
  relationProjection,
  relationWeights,
  scoreNames,
  scores,
  trainedParameters,
} from '@fuzzqe/model';
import { describe, expect, it } from 'vitest';
import type { TrainingConfig } from '../config.ts';
import { lossNames } from '../loss/losses.ts';
import { plainTraining } from '../plain-training.ts';
import { tinyBlocksConfig } from '../testing/tiny-run.ts';
import { initialState } from '../training/training-state.ts';
import { createBatchLayout } from './batch-layout.ts';
import { stepProgram } from './step-program.ts';

const entities = 15;
const [anchor, relation] = [4, 1];

function modelOf(config: TrainingConfig): ModelConfig {
  return { ...config.model, dimension: 6, bases: 3, entities, relations: 2 };
}

/** Parameters that are far from uniform, so that lengths of entities differ. */
function stateOf(config: TrainingConfig): Record<string, NumericTensors[string]> {
  const model = modelOf(config);
  const { program } = stepProgram(model, config, createBatchLayout([{ structure: '1p', count: 1 }]));
  const random = createRandom('ranking');
  const start = initialState(model, config);
  return Object.fromEntries(
    program.parameters.map(({ attributes: { name }, shape }) => {
      const drawn = name === 'entities' ? start[name]!.map(() => random.uniform()) : start[name]!;
      return [name, numeric(shape as readonly number[], drawn)];
    }),
  );
}

/** The loss of one 1p query for each entity as its answer: the lower it is, the better the entity ranks in training. */
function trainedLosses(config: TrainingConfig): number[] {
  const model = modelOf(config);
  const step = stepProgram(model, config, createBatchLayout([{ structure: '1p', count: 1 }]));
  const { inputs, outputs } = step.program;
  const program = createProgram({
    name: 'loss',
    description: 'The loss of a step.',
    inputs: inputs.filter(({ attributes }) => !/^(learningRate|correction\d)$/.test(attributes.name)),
    outputs: { loss: outputs.find(({ name }) => name === 'loss')!.tensor },
  });
  const state = stateOf(config);
  const read = Object.fromEntries(program.parameters.map(({ attributes: { name } }) => [name, state[name]!]));
  return Array.from({ length: entities }, (_, answer) => {
    const feeds = {
      entityRows: numeric([2], [anchor, answer]),
      'relations.0': numeric([1], [relation]),
      masked: numeric([1, entities], new Array<number>(entities).fill(0)),
    };
    return evaluate(program, { ...read, ...feeds })['loss']!.data[0]!;
  });
}

/** The scores of the same query as a served graph computes them. */
function servedScores(config: TrainingConfig): number[] {
  const model = modelOf(config);
  const learned = trainedParameters(model);
  const table = entityEmbedding(model, learned.entities);
  const weights = relationWeights(model, learned);
  const rows = { anchor: input('anchor', 'int', [1]), relation: input('relation', 'int', [1]) };
  const query = relationProjection(model, weights, gather(table, rows.anchor), rows.relation);
  const program = createProgram({
    name: 'served',
    description: 'The scores of a 1p query.',
    inputs: Object.values(rows),
    outputs: { scores: scores(model, query, table) },
  });
  const state = stateOf(config);
  const read = Object.fromEntries(program.parameters.map(({ attributes: { name } }) => [name, state[name]!]));
  const feeds = { anchor: numeric([1], [anchor]), relation: numeric([1], [relation]) };
  return Array.from(evaluate(program, { ...read, ...feeds })['scores']!.data);
}

/** How many pairs of entities are in another order; pairs that rank alike by either count for nothing. */
function differingPairs(losses: readonly number[], served: readonly number[]): number {
  let count = 0;
  for (let a = 0; a < entities; a += 1)
    for (let b = 0; b < a; b += 1) {
      const [lower, higher] = [losses[b]! - losses[a]!, served[a]! - served[b]!];
      if (Math.abs(higher) > 1e-9 && Math.sign(lower) !== Math.sign(higher)) count += 1;
    }
  return count;
}

const configs: TrainingConfig[] = mappingNames.flatMap((mapping) =>
  mappingNames.flatMap((entityMapping) =>
    normalisationNames.flatMap((entityNormalisation) =>
      scoreNames.flatMap((score) =>
        lossNames.map((name) => ({
          ...plainTraining,
          projection: 'outer' as const,
          model: { ...plainTraining.model, mapping, entityMapping, entityNormalisation, score },
          loss: { ...plainTraining.loss, name, margin: 3, scale: 5 },
        })),
      ),
    ),
  ),
);
const blocks: TrainingConfig[] = lossNames.map((name) => ({
  ...tinyBlocksConfig({ answers: 1, regularisers: {} }),
  loss: { ...plainTraining.loss, name, margin: 3, scale: 5 },
}));

describe('the ranking that is trained', () => {
  it.each(
    [...configs, ...blocks].map((config) => {
      const { relationForm, mapping, entityMapping, entityNormalisation, score } = config.model;
      return [
        [config.loss.name, relationForm, mapping, entityMapping, entityNormalisation, score].join(', '),
        config,
      ];
    }) as [string, TrainingConfig][],
  )('is the one that is served: %s', (_, config) => {
    const served = servedScores(config);
    expect(new Set(served).size).toBeGreaterThan(entities / 2);
    expect(differingPairs(trainedLosses(config), served)).toBe(0);
  });

  it('is another where it is of cosines, and inner products of L1 entities are served', () => {
    const config = configs.find(
      ({ model }) => model.entityNormalisation === 'l1' && model.score === 'innerProduct',
    )!;
    const cosines = { ...config, model: { ...config.model, score: 'cosine' as const } };
    expect(differingPairs(trainedLosses(cosines), servedScores(config))).toBeGreaterThan(5);
  });
});
