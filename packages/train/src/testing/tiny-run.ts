import { createRandom, type KnowledgeGraph } from '@fuzzqe/core';
import type { LogicName } from '@fuzzqe/core/logic';
import { type StructureName, structureNames } from '@fuzzqe/core/query';
import { type SampledQueries, sampleQueries } from '@fuzzqe/data';
import { type FamilyName, type ModelConfig, traitsOf } from '@fuzzqe/model';
import type { TrainingConfig } from '../config.ts';
import { plainTraining } from '../plain-training.ts';

/** A model and a run that take milliseconds. */
export function tinyConfig(
  changes: Partial<TrainingConfig> = {},
  logic: LogicName = 'product',
): TrainingConfig {
  return {
    ...plainTraining,
    model: { ...plainTraining.model, logic },
    loss: { ...plainTraining.loss, temperature: 10 },
    negatives: { kind: 'all', count: 5, byDegree: 0, allFrom: 1 },
    batch: { '1p': 6, '2p': 3, '3p': 2, '2i': 3, '3i': 2, '2in': 2, '3in': 2, inp: 2, pin: 2, pni: 2 },
    optimiser: {
      learningRate: 0.01,
      schedule: { kind: 'cosine', warmupSteps: 2, finalShare: 0.1 },
      decay: { entities: 0.1, coefficients: 0.01, bases: 0.01, biasBases: 0.01 },
      clipNorm: 0,
      rows: 'all',
    },
    steps: 20,
    seed: 3,
    validation: { every: 5, patience: 1000, mode: 'embedding' },
    ...changes,
  };
}

/** The same with relations by blocks, as they are trained: without dropout and decay, penalised by n3. */
export function tinyBlocksConfig(changes: Partial<TrainingConfig> = {}, logic?: LogicName): TrainingConfig {
  const { model, ...config } = tinyConfig({}, logic);
  return {
    ...config,
    model: { ...model, relationForm: 'blocks', entityNormalisation: 'l1', score: 'innerProduct' },
    projection: 'outer',
    answers: 3,
    regularisers: { n3: { weight: 0.05 } },
    optimiser: {
      ...config.optimiser,
      decay: { entities: 0, coefficients: 0, bases: 0, biasBases: 0 },
    },
    ...changes,
  };
}

const moreQueries = { positive: {}, signed: { '2in': 2, pni: 2 }, trees: { up: 2, pin: 2 } } as const;

/** The same of ComplEx: links alone, penalised by n3. */
export function tinyComplexConfig(changes: Partial<TrainingConfig> = {}): TrainingConfig {
  const config = tinyBlocksConfig();
  return {
    ...config,
    model: { ...config.model, relationForm: 'complex' },
    batch: { '1p': 6 },
    answers: 1,
    ...changes,
  };
}

/** The same of a family by distances: the papers' loss, on queries that the family embeds as one alternative. */
export function tinyDistancesConfig(
  relationForm: FamilyName,
  changes: Partial<TrainingConfig> = {},
): TrainingConfig {
  const { model, ...config } = tinyConfig();
  const { distances = 'positive' } = traitsOf({ relationForm });
  return {
    ...config,
    model: {
      ...model,
      relationForm,
      dimension: { gqeDeepSets: 24, query2box: 48, betaeDm: 8 }[relationForm as string] ?? 16,
    },
    projection: 'outer',
    batch: { '1p': 6, '2p': 3, '3p': 2, '2i': 3, '3i': 2, ...moreQueries[distances] },
    loss: { ...config.loss, name: 'margin', margin: -4, scale: 1 },
    negatives: { kind: 'own', count: 5, byDegree: 0, allFrom: 1 },
    ...changes,
  };
}

/** The model of a tiny run. */
export function tinyModel(config: TrainingConfig): ModelConfig {
  return { ...config.model, entities: 24, relations: 6 };
}

/** Twenty training queries of every structure but 1p. */
export async function tinyQueries(graph: KnowledgeGraph): Promise<SampledQueries[]> {
  const names = structureNames.filter((name): name is StructureName => name !== '1p');
  const sampled: SampledQueries[] = [];
  for (const structure of names)
    sampled.push(
      await sampleQueries({
        structure,
        count: 20,
        smaller: null,
        larger: graph,
        random: createRandom('tiny', structure),
        patience: 500,
      }),
    );
  return sampled;
}
