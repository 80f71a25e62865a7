import { join } from 'node:path';
import { FuzzError, type KnowledgeGraph } from '@fuzzqe/core';
import type { ModelConfig } from '@fuzzqe/model';
import { loadTensors } from '../checkpoint/checkpoint.ts';
import { recordedTrainingConfig, type TrainingConfig } from '../config.ts';
import type { TrainingState } from '../runtimes/training-runtime.ts';
import { loadBest, type RunStart } from './run.ts';
import { initialState, stateFromTensors } from './training-state.ts';

/** What a run is carried to. */
export interface CarryRunOptions {
  /** The training facts of the changed graph. */
  readonly graph: KnowledgeGraph;
  /** The configuration of the run on the changed graph. */
  readonly config: TrainingConfig;
  /** For each entity of the changed graph its id in the graph of the run, or −1. */
  readonly entities: Int32Array;
  /** The same of relations, inverses included. */
  readonly relations: Int32Array;
}

/**
 * Carries the best parameters of a run, and the sums of its optimiser, over to a changed graph.
 *
 * A new entity begins at the mean of the entities with which it shares a link (r, t), each link counting equally; without such
 * entities it begins as in training, and so does a new relation. Their sums are 0.
 *
 * @throws FuzzError `checkpoint`: the run has no checkpoint, or no training made it, or `last` and `best` are damaged.
 * @example
 * const { entities, relations } = kept.earlier;
 * const start = await carryRun('runs/mine', { graph: kept.dataset.graphs().train, config, entities, relations });
 */
export async function carryRun(run: string, options: CarryRunOptions): Promise<RunStart> {
  const { state: of, checkpoint, parameters } = await loadBest(run);
  const path = join(run, 'state.json');
  const recorded = recordedTrainingConfig(of.config, path);
  if (of.last === undefined)
    throw new FuzzError(
      'checkpoint',
      'expected a last checkpoint with the state of the optimiser, got none',
      {
        path,
        hint: 'Train the run anew: fuzzqe train.',
      },
    );
  const tensors = await loadTensors(run, of.last);
  const earlier: TrainingState = {
    ...stateFromTensors(of.model, recorded, tensors, join(run, of.last.file)),
    ...parameters,
  };
  const { graph, config } = options;
  const model: ModelConfig = { ...of.model, entities: graph.entityCount, relations: graph.relationCount };
  const state = { ...initialState(model, config) };
  for (const [name, fresh] of Object.entries(state)) {
    const was = earlier[name]!;
    const table = name.split('.')[0]!;
    if (table === 'entities') copyRows(fresh, was, options.entities);
    else if (table === 'coefficients') copyRows(fresh, was, options.relations);
    else fresh.set(was);
  }
  placeNewEntities(state['entities']!, options);
  return { state, origin: { checkpoint, steps: of.last.step + (of.origin?.steps ?? 0) } };
}

/** Copies the row of each id from the row of its earlier id. */
function copyRows(to: Float32Array, from: Float32Array, earlier: Int32Array): void {
  const width = to.length / earlier.length;
  earlier.forEach((id, row) => {
    if (id >= 0) to.set(from.subarray(id * width, (id + 1) * width), row * width);
  });
}

/** So many entities of a link say where its new entity begins. */
const mostAlike = 64;

/** Puts new entities in the middle of those of which the same is said. */
function placeNewEntities(table: Float32Array, { graph, entities }: CarryRunOptions): void {
  const width = table.length / entities.length;
  entities.forEach((id, entity) => {
    if (id >= 0) return;
    const sum = new Float64Array(width);
    let links = 0;
    for (const relation of graph.relationsOf(entity))
      for (const tail of graph.tails(entity, relation)) {
        const alike = graph
          .tails(tail, relation ^ 1)
          .filter((other) => entities[other]! >= 0)
          .subarray(0, mostAlike);
        if (alike.length === 0) continue;
        links++;
        for (const other of alike)
          for (let i = 0; i < width; i++) sum[i]! += table[other * width + i]! / alike.length;
      }
    if (links > 0) for (let i = 0; i < width; i++) table[entity * width + i] = sum[i]! / links;
  });
}
