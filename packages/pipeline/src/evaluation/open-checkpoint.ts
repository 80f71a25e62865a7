import { instantiate, type Query } from '@fuzzqe/core/query';
import { answerSets, createSetLogic, type ProjectionSettings, type SetsState } from '@fuzzqe/core/sets';
import type { QueryScorer } from '@fuzzqe/data';
import {
  createLinkDegrees,
  createRuleIndex,
  type LinkState,
  type LinkWeights,
  type RuleSet,
} from '@fuzzqe/evidence';
import { loadBest } from '@fuzzqe/train';
import { expectSameGraph } from './expect-same-graph.ts';
import { type ServedParameters, type ServeParametersOptions, serveParameters } from './serve-parameters.ts';

/** The best checkpoint of a run, answered by the graphs that a bundle of it has. */
export interface OpenCheckpoint
  extends Pick<Awaited<ReturnType<typeof loadBest>>, 'state' | 'checkpoint'>,
    ServedParameters {}

/** How a checkpoint is opened. */
export interface CheckpointOptions extends Pick<ServeParametersOptions, 'trained' | 'threads' | 'signal'> {
  /** Of the graph that it must have been trained on, if that is to be checked. */
  readonly digest?: string | undefined;
}

/**
 * Opens the best checkpoint of a run.
 *
 * @throws FuzzError `checkpoint`: there is none yet, it is damaged, or trained on another graph. `storage`, `interrupted`: as `serveParameters`.
 * @example
 * const checkpoint = await openCheckpoint('runs/mine', { trained: graph, threads: 2 });
 * await checkpoint.close();
 */
export async function openCheckpoint(run: string, options: CheckpointOptions): Promise<OpenCheckpoint> {
  const { digest, ...serving } = options;
  const { state, checkpoint, parameters } = await loadBest(run);
  expectSameGraph(run, digest, state.data.sha256);
  const served = await serveParameters({ ...serving, model: state.model, parameters });
  return { state, checkpoint, ...served };
}

/** What a checkpoint answers by fuzzy sets with. */
export interface SetsEvidence extends Pick<LinkState, 'facts' | 'entailed' | 'recordedShare'> {
  readonly projection: ProjectionSettings;
  readonly weights: LinkWeights;
  readonly rules: RuleSet;
}

/** What gives the degrees of queries by a model. */
export function setsStateBy(
  { scores, model }: Pick<ServedParameters, 'scores' | 'model'>,
  { facts, entailed, weights, rules, projection, recordedShare }: SetsEvidence,
): SetsState {
  const links = createLinkDegrees({
    ...{ facts, entailed, weights, scores, recordedShare },
    rules: createRuleIndex(rules),
  });
  return { links, logic: createSetLogic(model.logic), projection, facts };
}

/** The degrees of queries, whole sets. Shapes: n queries → [|E|] each. */
export function degreesBy(state: SetsState): (queries: readonly Query[]) => Promise<readonly Float32Array[]> {
  return async (queries) => (await answerSets(state, queries)).map(({ degrees }) => degrees);
}

/** Links of so many queries lie in memory together. */
const answeredAtOnce = 32;

/** Scores every entity for an evaluation, by what gives a number of each entity for queries. */
export function scorerOf(
  entityCount: number,
  answer: (queries: readonly Query[]) => Promise<readonly Float32Array[]>,
): QueryScorer {
  return async ({ template, anchors: a, relations: r }, anchors, relations, rows) => {
    const scores = new Float32Array(rows * entityCount);
    for (let start = 0; start < rows; start += answeredAtOnce) {
      const queries = Array.from({ length: Math.min(answeredAtOnce, rows - start) }, (_, i) =>
        instantiate(
          template,
          anchors.subarray((start + i) * a, (start + i + 1) * a),
          relations.subarray((start + i) * r, (start + i + 1) * r),
        ),
      );
      const sets = await answer(queries);
      sets.forEach((set, i) => {
        scores.set(set, (start + i) * entityCount);
      });
    }
    return scores;
  };
}
