import { createKnowledgeGraph, createRandom, type KnowledgeGraph } from '@fuzzqe/core';
import type { StructureName } from '@fuzzqe/core/query';
import { type SampledQueries, sampleQueries } from '@fuzzqe/data';
import type { ModelConfig } from '@fuzzqe/model';
import type { TrainingConfig } from '../config.ts';
import { plainTraining } from '../plain-training.ts';
import type { TrainingState } from '../runtimes/training-runtime.ts';
import { createBatchLayout } from '../step/batch-layout.ts';
import { type StepProgram, stepProgram } from '../step/step-program.ts';
import { type BatchSource, createBatchSource } from '../training/batch-source.ts';
import { initialState } from '../training/training-state.ts';

/** How large a step for measurements is. */
export interface SampleSize {
  readonly entities: number;
  readonly relations: number;
  readonly triples: number;
  readonly dimension: number;
  readonly bases: number;
  readonly batch: TrainingConfig['batch'];
  /** Entities that each query's answer is compared with, a sample of its own. */
  readonly negatives: number;
}

/** A step on a random graph, with all it needs to run. */
export interface SampleStep {
  readonly model: ModelConfig;
  readonly config: TrainingConfig;
  readonly step: StepProgram;
  readonly state: TrainingState;
  readonly source: BatchSource;
}

/** Small enough to be compared with the CPU in a moment. */
export const tinySize: SampleSize = {
  entities: 40,
  relations: 6,
  triples: 300,
  dimension: 16,
  bases: 4,
  batch: { '1p': 8, '2p': 4, pni: 4 },
  negatives: 6,
};

/** The graph and the batch of FB15k-237 at the sizes of the table in lab/2026-11-28-results-training.md. */
export const sampleSizes: Readonly<Record<'small' | 'medium' | 'paper', SampleSize>> = (() => {
  const common = {
    entities: 14_505,
    relations: 474,
    triples: 272_115,
    batch: { '1p': 256, '2p': 256 },
    negatives: 128,
  };
  return {
    small: { ...common, dimension: 200, bases: 50 },
    medium: { ...common, dimension: 400, bases: 50 },
    paper: { ...common, dimension: 800, bases: 150 },
  };
})();

/** Builds a step of a size; the same size gives the same step, state and batches. */
export async function sampleStep(size: SampleSize): Promise<SampleStep> {
  const graph = randomGraph(size);
  const config: TrainingConfig = {
    ...plainTraining,
    model: { ...plainTraining.model, dimension: size.dimension, bases: size.bases },
    negatives: { kind: 'own', count: size.negatives, byDegree: 0, allFrom: 1 },
    batch: size.batch,
  };
  const model: ModelConfig = {
    ...config.model,
    entities: graph.entityCount,
    relations: graph.relationCount,
  };
  const groups = Object.entries(size.batch).map(([structure, count]) => ({
    structure: structure as StructureName,
    count,
  }));
  const queries: SampledQueries[] = [];
  for (const { structure, count } of groups)
    if (structure !== '1p')
      queries.push(
        await sampleQueries({
          structure,
          count: 2 * count,
          smaller: null,
          larger: graph,
          random: createRandom('sample step', structure),
        }),
      );
  const step = stepProgram(model, config, createBatchLayout(groups));
  const source = createBatchSource(model, config, step, { graph, queries });
  return { model, config, step, state: initialState(model, config), source };
}

/** Every relation is about as frequent as the next, and so is every entity. */
function randomGraph({ entities, relations, triples }: SampleSize): KnowledgeGraph {
  const random = createRandom('sample graph');
  const facts = new Int32Array(3 * triples);
  for (let i = 0; i < triples; i += 1) {
    facts[3 * i] = random.below(entities);
    facts[3 * i + 1] = 2 * random.below(relations / 2);
    facts[3 * i + 2] = random.below(entities);
  }
  return createKnowledgeGraph({ entityCount: entities, relationCount: relations, triples: facts });
}
