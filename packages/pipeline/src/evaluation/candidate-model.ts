import { expectOptions, FuzzError, type KnowledgeGraph } from '@fuzzqe/core';
import { defaultCalibration } from '@fuzzqe/core/sets';
import type { QueryScorer } from '@fuzzqe/data';
import { createScorer, loadBest, openSetsScorer } from '@fuzzqe/train';
import { expectSameGraph } from './expect-same-graph.ts';
import { readSavedCalibration } from './saved-calibration.ts';

/** A model that is ready to score. */
export interface OpenModel {
  readonly score: QueryScorer;
  /** Of a run, the SHA-256 of the tensors that were its best when it was opened: it may be trained on meanwhile. */
  readonly checkpoint?: string;
  close(): Promise<void>;
}

/** The ways to an answer: by the embedding of the query, or by fuzzy sets of entities. */
export const answerModes = ['embedding', 'sets'] as const;
export type AnswerMode = (typeof answerModes)[number];

/** A model that is opened when its turn comes and closed after it. */
export interface CandidateModel {
  readonly name: string;
  readonly mode: AnswerMode;
  /** The folder of the run that it is; undefined for a bundle. */
  readonly run?: string;
  open(work?: ModelWork): Promise<OpenModel>;
}

/** What hears of work that a model does for all queries, and ends it. */
export interface ModelWork {
  /** Hears of sums over all entities, which answers by fuzzy sets of a large graph take once where the run is not calibrated. */
  readonly onLinks?: ((done: number, total: number) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** How a run is opened to answer by fuzzy sets. */
export interface RunAsSetsOptions extends ModelWork {
  /** The recorded facts: their links have degree 1. */
  readonly facts: KnowledgeGraph;
  readonly threads: number;
  /** Of the graph that it must have been trained on, if that is to be checked. */
  readonly digest?: string | undefined;
  /** Of more entities than this, sums over all are counted in one pass that is heard of. Default: 2¹⁶. */
  readonly manyEntities?: number;
}

/** How a run is opened to answer by its embeddings. */
export interface RunOptions {
  /** The facts that it was trained on, from which centroids have their heads. */
  readonly trained: KnowledgeGraph;
  readonly threads: number;
  /** Of the graph that it must have been trained on, if that is to be checked. */
  readonly digest?: string | undefined;
}

/**
 * The best parameters of a run.
 *
 * @throws FuzzError `checkpoint`: there are none yet, they are damaged, or trained on another graph.
 */
export async function openRun(path: string, options: RunOptions): Promise<OpenModel> {
  expectOptions('openRun', options, ['trained']);
  const { trained, threads, digest } = options;
  const { state, checkpoint, parameters } = await loadBest(path);
  expectSameGraph(path, digest, state.data.sha256);
  const scorer = await createScorer(state.model, trained, threads);
  await scorer.load(parameters);
  return { score: scorer.score, checkpoint, close: () => scorer.close() };
}

/**
 * The same run as link predictor of fuzzy logic over entity sets, where recorded facts have degree 1.
 *
 * It is calibrated as `fuzzqe calibrate` left it, by default without. Throws as `openRun`; its scorer `interrupted` where the signal is
 * raised in sums over all entities.
 */
export async function openRunAsSets(path: string, options: RunAsSetsOptions): Promise<OpenModel> {
  expectOptions('openRunAsSets', options, ['facts']);
  const { facts, threads, digest, manyEntities, onLinks, signal } = options;
  const { state, checkpoint, parameters } = await loadBest(path);
  expectSameGraph(path, digest, state.data.sha256);
  const kept = await readSavedCalibration(path, checkpoint);
  const sets = await openSetsScorer({
    ...{ model: state.model, parameters, facts, threads },
    ...(manyEntities === undefined ? {} : { manyEntities }),
    onLinks: (done, total) => {
      if (signal?.aborted)
        throw new FuzzError(
          'interrupted',
          `evaluation: stopped at ${done} of ${total} links to sum over all entities`,
        );
      onLinks?.(done, total);
    },
  });
  const score =
    kept === undefined ? sets.score(defaultCalibration) : sets.score(kept.calibration, kept.partitions);
  return { score, checkpoint, close: () => sets.close() };
}
