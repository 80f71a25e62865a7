import type { Profile } from '@fuzzqe/bundle';
import type { KnowledgeGraph } from '@fuzzqe/core';
import type { ModelConfig } from '@fuzzqe/core/model';
import { matchStructure, type Query } from '@fuzzqe/core/query';
import {
  type AnswerSet,
  answerSets,
  createArrayPool,
  createBestAnswers,
  type SetsState,
  type WantedAnswers,
} from '@fuzzqe/core/sets';
import type { PlanSummary } from '../embedding/plan.ts';
import { numbersAtOnce, rowsWithin } from '../sessions/rows-within.ts';
import type { SessionCache } from '../sessions/session-cache.ts';
import { chunksOf } from '../sessions/tensor-values.ts';
import { createSetGraphs, type SetGraphName, type SetRunner } from './set-graphs.ts';

/** What answers by fuzzy sets come from. */
export interface SetsContext extends SetsState {
  readonly model: ModelConfig;
  readonly profile: Profile;
  readonly sessions: SessionCache;
  readonly facts: KnowledgeGraph;
  /** How many queries are planned together. */
  readonly batchSize: number;
}

/**
 * Answers queries by fuzzy sets, from the sessions of one profile.
 *
 * With `wanted`, which has one for each query, sets may lack the degrees of what is no wanted answer. `read` makes of the answer to each
 * query what is given for it, which is to hold none of its arrays: they serve other queries.
 */
export type SetsMode = <T>(
  queries: readonly Query[],
  wanted: readonly WantedAnswers[] | undefined,
  read: (answer: AnswerSet, place: number) => T,
) => Promise<T[]>;

/** How many numbers of arrays are kept for later queries: 8 MB, of which a Worker may have 128. */
const mostKept = 2 ** 21;

/** The sets mode of one bundle. */
export function createSetsMode(context: SetsContext): SetsMode {
  const { model, calibration, batchSize } = context;
  const graphs = createSetGraphs({ model, calibration, run: runSetGraphs(context) });
  const bestAnswers = createBestAnswers(model.logic, graphs, context);
  // Of each query there are about eight sets until all are answered.
  const together = rowsWithin(numbersAtOnce, model.entities, batchSize);
  const pool = createArrayPool(mostKept);
  return async <T>(
    queries: readonly Query[],
    wanted: readonly WantedAnswers[] | undefined,
    read: (answer: AnswerSet, place: number) => T,
  ) => {
    const found: T[] = [];
    for (const chunk of chunksOf(queries, together))
      await pool.during(async (arrays) => {
        const first = found.length;
        const answers =
          wanted === undefined
            ? await answerSets(graphs, { ...context, arrays }, chunk)
            : await bestAnswers(chunk, wanted.slice(first, first + chunk.length), arrays);
        answers.forEach((answer, i) => {
          found.push(read(answer, first + i));
        });
      });
    return found;
  };
}

/** Runs the graphs of a profile that sets take, each opened when it is first needed. */
export function runSetGraphs({
  profile,
  sessions,
}: Pick<SetsContext, 'profile' | 'sessions'>): SetRunner['run'] {
  return async (name, feeds) => (await sessions.get(profile[name])).run(feeds);
}

/** Says what answering a query by fuzzy sets takes at most. */
export function summariseSets(query: Query): PlanSummary {
  const graphs: Partial<Record<SetGraphName, number>> = {};
  const count = (name: SetGraphName): void => {
    graphs[name] = (graphs[name] ?? 0) + 1;
  };
  const visit = (node: Query): void => {
    switch (node.op) {
      case 'entity':
        return;
      case 'project':
        visit(node.from);
        count(node.from.op === 'entity' ? 'links' : 'projectSet');
        return;
      case 'not':
        visit(node.operand);
        return;
      default:
        node.operands.forEach(visit);
    }
  };
  visit(query);
  return { kind: 'sets', structure: matchStructure(query)?.structure.name ?? null, graphs };
}
