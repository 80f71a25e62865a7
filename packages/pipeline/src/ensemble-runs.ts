import { basename, resolve } from 'node:path';
import { graphDigest } from '@fuzzqe/bundle';
import { createRandom, expectOptions, FuzzError, type KnowledgeGraph } from '@fuzzqe/core';
import type { Dataset } from '@fuzzqe/data';
import {
  type BestParameters,
  type EnsembleCandidate,
  ensembleConfig,
  ensembleOf,
  loadBest,
  readRunState,
  type WeightedModel,
  writeMadeRun,
} from '@fuzzqe/train';
import { expectSameGraph } from './evaluation/expect-same-graph.ts';
import { logitDeviation, sampleLinks } from './evaluation/logit-deviation.ts';
import { serveParameters } from './evaluation/serve-parameters.ts';

/** Which runs are joined, and where the ensemble goes. */
export interface EnsembleTask {
  /** Two or more, by blocks and of the same graph. */
  readonly runs: readonly string[];
  readonly dataset: Dataset;
  readonly directory: string;
  readonly threads: number;
  readonly onProgress?: (what: string, unit: string, done: number, total: number) => void;
  readonly signal?: AbortSignal;
}

/** A run in an ensemble. */
export interface EnsembleMember {
  /** The name of its folder. */
  readonly run: string;
  /** SHA-256 of its best checkpoint. */
  readonly checkpoint: string;
  readonly step: number;
  readonly dimension: number;
  /** What its logits are multiplied with; all weights sum to 1. */
  readonly weight: number;
}

/** The links on which logits of models are compared. */
const comparedLinks = 256;

/**
 * Joins the best checkpoints of runs to one run, whose logits are the weighted mean of theirs.
 *
 * `w_m = (1/s_m) / Σ_k (1/s_k)`, s_m the deviation of a model's logits over entities: a model that was trained for longer has larger ones, and
 * would outvote the others. The result is a run like any other, to be calibrated, evaluated and exported, and cannot be resumed.
 *
 * @throws FuzzError `usage`: fewer than two runs, the same parameters twice, or a run in the folder. `checkpoint`: a run without a
 * checkpoint, of another graph than the data set's, or that tells no entities apart. `config`: models that do not add up. `interrupted`: the signal was raised.
 * @example
 * await ensembleRuns({ runs: ['runs/a', 'runs/b'], dataset, directory: 'runs/both', threads: 2 });
 */
export async function ensembleRuns(task: EnsembleTask): Promise<readonly EnsembleMember[]> {
  expectOptions('ensembleRuns', task, ['runs', 'dataset', 'directory']);
  const { runs, dataset, directory } = task;
  if (runs.length < 2)
    throw new FuzzError('usage', `expected two runs or more, got ${runs.length}`, {
      path: runs.join(', '),
      hint: 'Train several: fuzzqe train DATA --out RUNS --seeds 1,2,3',
    });
  const graph = dataset.graphs().train;
  await expectAlike(runs, await graphDigest(graph));
  let members: readonly EnsembleMember[] = [];
  await writeMadeRun(directory, async () => {
    const compared = await compareRuns(task, graph);
    members = compared.map(({ path, state, checkpoint, weight }) => ({
      ...{ run: basename(resolve(path)), checkpoint, step: state.best?.step ?? 0 },
      ...{ dimension: state.model.dimension, weight },
    }));
    return {
      ...ensembleOf(compared),
      ...{ config: { ensemble: members }, data: compared[0]!.state.data },
      device: [...new Set(compared.map(({ state }) => state.device))].join(', '),
      step: members.reduce((sum, { step }) => sum + step, 0),
    };
  });
  return members;
}

/** The best parameters of each run, weighted by how far its logits lie apart. Throws as `ensembleRuns`. */
async function compareRuns(
  { runs, threads, signal, onProgress }: EnsembleTask,
  graph: KnowledgeGraph,
): Promise<readonly (BestParameters & WeightedModel)[]> {
  const links = sampleLinks(graph, comparedLinks, createRandom('ensemble'));
  const models: (BestParameters & EnsembleCandidate & { readonly deviation: number })[] = [];
  for (const [i, path] of runs.entries()) {
    if (signal?.aborted === true) throw new FuzzError('interrupted', 'stopped before anything was written');
    onProgress?.('Comparing logits', 'runs', i, runs.length);
    const best = await loadBest(path);
    const twin = models.find(({ checkpoint }) => checkpoint === best.checkpoint);
    if (twin !== undefined)
      throw new FuzzError('usage', `has the same parameters as ${twin.path}`, {
        path,
        hint: 'Name each run once: a model says nothing new beside itself.',
      });
    const { model } = best.state;
    const served = await serveParameters({ ...best, model, trained: graph, threads, signal });
    let deviation: number;
    try {
      deviation = await logitDeviation(served.scores, links, model.entities);
    } finally {
      await served.close();
    }
    if (!(deviation > 0))
      throw new FuzzError('checkpoint', 'scores all entities alike: it has learned nothing', {
        path,
        hint: 'Leave it out, or train it anew.',
      });
    models.push({ ...best, path, model, deviation });
  }
  const total = models.reduce((sum, { deviation }) => sum + 1 / deviation, 0);
  return models.map(({ deviation, ...model }) => ({ ...model, weight: 1 / deviation / total }));
}

/** Refuses runs by their states, before the first parameters are read. */
async function expectAlike(runs: readonly string[], digest: string): Promise<void> {
  const candidates: EnsembleCandidate[] = [];
  for (const path of runs) {
    const { model, data } = await readRunState(path);
    expectSameGraph(path, digest, data.sha256);
    candidates.push({ path, model });
  }
  ensembleConfig(candidates);
}
