import type { KnowledgeGraph } from '@fuzzqe/core';
import { defaultCalibration } from '@fuzzqe/core/sets';
import type { QueryScorer } from '@fuzzqe/data';
import { createScorer, loadBest, openSetsScorer } from '@fuzzqe/train';
import { expectSameGraph } from './expect-same-graph.ts';
import { readSavedCalibration } from './saved-calibration.ts';

/** A model that is ready to score. */
export interface OpenModel {
  readonly score: QueryScorer;
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
  open(): Promise<OpenModel>;
}

/**
 * The best parameters of a run; `digest` is that of the graph that it must have been trained on, if that is to be checked.
 *
 * @throws FuzzError `checkpoint`: there are none yet, they are damaged, or trained on another graph.
 */
export async function openRun(path: string, threads: number, digest?: string): Promise<OpenModel> {
  const { state, parameters } = await loadBest(path);
  expectSameGraph(path, digest, state.data.sha256);
  const scorer = await createScorer(state.model, threads);
  await scorer.load(parameters);
  return { score: scorer.score, close: () => scorer.close() };
}

/**
 * The same run as link predictor of fuzzy logic over entity sets, where recorded facts have degree 1.
 *
 * It is calibrated as `fuzzqe calibrate` left it, by default without. Throws as `openRun`.
 */
export async function openRunAsSets(
  path: string,
  facts: KnowledgeGraph,
  threads: number,
  digest?: string,
): Promise<OpenModel> {
  const { state, parameters } = await loadBest(path);
  expectSameGraph(path, digest, state.data.sha256);
  const kept = await readSavedCalibration(path);
  const sets = await openSetsScorer({ model: state.model, parameters, facts, threads });
  const score =
    kept === undefined ? sets.score(defaultCalibration) : sets.score(kept.calibration, kept.partitions);
  return { score, close: () => sets.close() };
}
