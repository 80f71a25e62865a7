import { basename, join, resolve } from 'node:path';
import { createRandom, FuzzError } from '@fuzzqe/core';
import { graphDigest } from '@fuzzqe/core/bundle';
import type { Dataset } from '@fuzzqe/data';
import { lockFolder, pathExists } from '@fuzzqe/files';
import {
  type BestParameters,
  type EnsembleCandidate,
  ensembleConfig,
  ensembleOf,
  loadBest,
  logitDeviation,
  parameterTensors,
  readRunState,
  sampleLinks,
  saveTensors,
  writeRunState,
} from '@fuzzqe/train';
import { expectSameGraph } from './evaluation/expect-same-graph.ts';

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
 */
export async function ensembleRuns(task: EnsembleTask): Promise<readonly EnsembleMember[]> {
  const { runs, dataset, directory, threads, signal, onProgress } = task;
  if (runs.length < 2)
    throw new FuzzError('usage', `expected two runs or more, got ${runs.length}`, {
      path: runs.join(', '),
      hint: 'Train several: fuzzqe train DATA --out RUNS --seeds 1,2,3',
    });
  const graph = dataset.graphs().train;
  const digest = await graphDigest(graph);
  await expectAlike(runs, digest);
  const lock = await lockFolder(directory);
  try {
    const statePath = join(directory, 'state.json');
    if (await pathExists(statePath))
      throw new FuzzError('usage', 'there is a training run here already', {
        path: statePath,
        hint: 'choose another folder',
      });
    const links = sampleLinks(graph, comparedLinks, createRandom('ensemble'));
    const models: (BestParameters & { readonly path: string; readonly deviation: number })[] = [];
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
      const { state, parameters } = best;
      const deviation = await logitDeviation(state.model, parameters, { graph, links, threads });
      if (!(deviation > 0))
        throw new FuzzError('checkpoint', 'scores all entities alike: it has learned nothing', {
          path,
          hint: 'Leave it out, or train it anew.',
        });
      models.push({ ...best, path, deviation });
    }
    const total = models.reduce((sum, { deviation }) => sum + 1 / deviation, 0);
    const weighted = models.map(({ path, state, parameters, deviation }) => ({
      ...{ path, model: state.model, parameters },
      weight: 1 / deviation / total,
    }));
    const { model, parameters } = ensembleOf(weighted);
    const members = models.map(({ path, state, checkpoint }, i) => ({
      ...{ run: basename(resolve(path)), checkpoint, step: state.best?.step ?? 0 },
      ...{ dimension: state.model.dimension, weight: weighted[i]!.weight },
    }));
    const steps = members.reduce((sum, { step }) => sum + step, 0);
    await writeRunState(directory, {
      ...({ format: 'fuzzqe-run', version: 1, status: 'finished' } as const),
      ...{ model, config: { ensemble: members }, data: models[0]!.state.data },
      device: [...new Set(models.map(({ state }) => state.device))].join(', '),
      best: await saveTensors(directory, 'best', steps, parameterTensors(model, parameters)),
    });
    return members;
  } finally {
    await lock.release();
  }
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
