import { expectOptions, type KnowledgeGraph } from '@fuzzqe/core';
import type { QueryScorer } from '@fuzzqe/data';
import { defaultSets } from '@fuzzqe/export';
import { familyOf, type OfFamily, structuresOf, traitsOf } from '@fuzzqe/model';
import type { PatternRanker } from '@fuzzqe/train';
import { degreesBy, openCheckpoint, scorerOf, setsStateBy } from './open-checkpoint.ts';
import { type OptimumMode, type OptimumTask, optimumDegrees, optimumModes } from './optimum/optimum-modes.ts';
import { patternRanker } from './pattern-ranker.ts';
import { readSavedCalibration } from './saved-calibration.ts';

/** A model that is ready to score. */
export interface OpenModel {
  readonly score: QueryScorer;
  /** Of mode `sets`: ranks the answers of patterns. */
  readonly match?: PatternRanker;
  /** In mode `embedding`, whether its family embeds queries of a structure; other queries are left out. Default: it embeds all. */
  readonly embeds?: (structure: string) => boolean;
  /** Of a run, the SHA-256 of the tensors that were its best when it was opened: it may be trained on meanwhile. */
  readonly checkpoint?: string;
  close(): Promise<void>;
}

/** The ways to an answer: the embedding of the query, or fuzzy sets of entities. */
export const answerModes = ['embedding', 'sets'] as const;
export type AnswerMode = (typeof answerModes)[number];

/** The ways that evaluation has: those, and the best assignment of entities to the variables of the query. */
export type EvaluationMode = AnswerMode | OptimumMode;
export const evaluationModes: readonly EvaluationMode[] = [...answerModes, ...optimumModes];

/** Whether a way answers queries of users too, so that its figures are kept. */
export const isAnswerMode = (mode: EvaluationMode | undefined): mode is AnswerMode =>
  mode === 'embedding' || mode === 'sets';

/** A model that is opened when its turn comes and closed after it. */
export interface CandidateModel {
  readonly name: string;
  readonly mode: EvaluationMode;
  /** The folder of the run that it is; undefined for a bundle. */
  readonly run?: string;
  /** The folder with its rules, where it has some. */
  readonly folder?: string;
  /** Of a bundle, whether its weights of evidence were fitted on validation facts. */
  readonly isFitted?: boolean;
  open(): Promise<OpenModel>;
}

/** How a run is opened to answer by fuzzy sets. */
export interface RunAsSetsOptions extends RunOptions {
  /** The recorded facts: their links have degree 1. */
  readonly facts: KnowledgeGraph;
  /** The facts that declared axioms entail. Default: none. */
  readonly entailed?: KnowledgeGraph | undefined;
  /** The share of the hidden facts that are recorded. Default 0. */
  readonly recordedShare?: number;
  readonly signal?: AbortSignal | undefined;
}

/** How a run is opened to answer by the best assignments. */
export interface RunByAssignmentsOptions extends RunOptions, Pick<OptimumTask, 'mode' | 'facts' | 'beam'> {}

/** How a run is opened to answer by its embeddings. */
export interface RunOptions {
  /** The facts that it was trained on, from which centroids have their heads. */
  readonly trained: KnowledgeGraph;
  readonly threads: number;
  /** Of the graph that it must have been trained on, if that is to be checked. */
  readonly digest?: string | undefined;
}

/**
 * The best parameters of a run, through the graphs that a bundle of the run has.
 *
 * @throws FuzzError `checkpoint`: there are none yet, they are damaged, or trained on another graph.
 * @example
 * const { score, close } = await openRun('runs/mine', { trained: graph, threads: 2 });
 * await close();
 */
export async function openRun(path: string, options: RunOptions): Promise<OpenModel> {
  expectOptions('openRun', options, ['trained']);
  const { checkpoint, similarities, state, close } = await openCheckpoint(path, options);
  const score = scorerOf(options.trained.entityCount, similarities);
  return { score, checkpoint, close, embeds: embeddedBy(state.model) };
}

/** Whether a model's family embeds queries of a structure by its name: of own structures, families that embed queries of any shape. */
export function embeddedBy(model: OfFamily): (structure: string) => boolean {
  const { distances = 'trees', only } = traitsOf(model);
  const names: readonly string[] = structuresOf(model);
  return (structure) => (distances === 'trees' && only === undefined) || names.includes(structure);
}

/**
 * The same run by fuzzy sets of entities, where recorded facts have degree 1.
 *
 * Its evidence is what `fuzzqe calibrate` left, by default `defaultSets`: fixed weights and no rules. Throws as `openRun`.
 */
export async function openRunAsSets(path: string, options: RunAsSetsOptions): Promise<OpenModel> {
  expectOptions('openRunAsSets', options, ['facts', 'trained']);
  const { facts, entailed, recordedShare, ...opening } = options;
  const opened = await openCheckpoint(path, opening);
  try {
    const kept = (await readSavedCalibration(path, opened.checkpoint)) ?? defaultSets(opened.state.model);
    const state = setsStateBy(opened, { ...kept, facts, entailed, recordedShare });
    const score = scorerOf(facts.entityCount, degreesBy(state));
    const match = patternRanker(state);
    return { score, match, checkpoint: opened.checkpoint, close: () => opened.close() };
  } catch (cause) {
    await opened.close();
    throw cause;
  }
}

/**
 * The same run by the best assignments of entities to variables: CQD-beam or QTO, on the links that mode `sets` has of the model alone.
 *
 * Throws as `openRun`.
 */
export async function openRunByAssignments(
  path: string,
  options: RunByAssignmentsOptions,
): Promise<OpenModel> {
  expectOptions('openRunByAssignments', options, ['mode', 'facts', 'trained']);
  const { mode, facts, beam, ...opening } = options;
  const { checkpoint, scores, model, close } = await openCheckpoint(path, opening);
  const temperature = familyOf(model).linkTemperature;
  const answer = optimumDegrees({ mode, scores, temperature, facts, beam });
  return { score: scorerOf(facts.entityCount, answer), checkpoint, close };
}
