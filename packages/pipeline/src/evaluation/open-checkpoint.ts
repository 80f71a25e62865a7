import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KnowledgeGraph } from '@fuzzqe/core';
import { instantiate, type Query } from '@fuzzqe/core/query';
import { answerSets, createSetLogic, type ProjectionSettings, type SetsState } from '@fuzzqe/core/sets';
import type { QueryScorer } from '@fuzzqe/data';
import { createLinkScores } from '@fuzzqe/engine';
import {
  createLinkDegrees,
  createRuleIndex,
  type LinkScores,
  type LinkState,
  type LinkWeights,
  type RuleSet,
} from '@fuzzqe/evidence';
import { writeModel } from '@fuzzqe/export';
import { folderSource, nodeSessions } from '@fuzzqe/serve';
import { loadBest } from '@fuzzqe/train';
import { expectSameGraph } from './expect-same-graph.ts';

/** The best checkpoint of a run, answered by the graphs that a bundle of it has. */
export interface OpenCheckpoint extends Pick<Awaited<ReturnType<typeof loadBest>>, 'state' | 'checkpoint'> {
  readonly scores: LinkScores;
  close(): Promise<void>;
}

/** How a checkpoint is opened. */
export interface CheckpointOptions {
  /** The facts that it was trained on. */
  readonly trained: KnowledgeGraph;
  readonly threads: number;
  /** Of the graph that it must have been trained on, if that is to be checked. */
  readonly digest?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Opens the best checkpoint of a run: its graphs are exported to a temporary folder and run by onnxruntime-node, as those of a bundle are.
 *
 * @throws FuzzError `checkpoint`: there is none yet, it is damaged, or trained on another graph.
 */
export async function openCheckpoint(run: string, options: CheckpointOptions): Promise<OpenCheckpoint> {
  const { trained, threads, digest, signal } = options;
  const { state, checkpoint, parameters } = await loadBest(run);
  expectSameGraph(run, digest, state.data.sha256);
  const directory = await mkdtemp(join(tmpdir(), 'fuzzqe-checkpoint-'));
  const remove = (): Promise<void> => rm(directory, { recursive: true, force: true });
  try {
    const { links } = await writeModel({
      directory,
      config: state.model,
      parameters,
      graph: trained,
      signal,
    });
    const session = await nodeSessions(directory, { threads }).open(links, folderSource(directory));
    return {
      state,
      checkpoint,
      scores: createLinkScores({ model: state.model, run: (feeds) => session.run(feeds) }),
      async close() {
        await session.close();
        await remove();
      },
    };
  } catch (cause) {
    await remove();
    throw cause;
  }
}

/** What a checkpoint answers by fuzzy sets with. */
export interface SetsEvidence extends Pick<LinkState, 'facts' | 'entailed' | 'recordedShare'> {
  readonly projection: ProjectionSettings;
  readonly weights: LinkWeights;
  readonly rules: RuleSet;
}

/** What gives the degrees of queries by a checkpoint. */
export function setsStateBy(
  { scores, state }: Pick<OpenCheckpoint, 'scores' | 'state'>,
  { facts, entailed, weights, rules, projection, recordedShare }: SetsEvidence,
): SetsState {
  const links = createLinkDegrees({
    ...{ facts, entailed, weights, scores, recordedShare },
    rules: createRuleIndex(rules),
  });
  return { links, logic: createSetLogic(state.model.logic), projection, facts };
}

/** The degrees of queries by a checkpoint, whole sets. Shapes: n queries → [|E|] each. */
export function degreesBy(
  checkpoint: Pick<OpenCheckpoint, 'scores' | 'state'>,
  evidence: SetsEvidence,
): (queries: readonly Query[]) => Promise<readonly Float32Array[]> {
  const answering = setsStateBy(checkpoint, evidence);
  return async (queries) => (await answerSets(answering, queries)).map(({ degrees }) => degrees);
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
