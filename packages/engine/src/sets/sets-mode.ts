import type { KnowledgeGraph } from '@fuzzqe/core';
import type { Profile } from '@fuzzqe/core/bundle';
import type { ModelConfig } from '@fuzzqe/core/model';
import { matchStructure, type Query } from '@fuzzqe/core/query';
import { type AnswerSet, answerSets, type SetsState } from '@fuzzqe/core/sets';
import type { PlanSummary } from '../embedding/plan.ts';
import type { SessionCache } from '../sessions/session-cache.ts';
import { chunksOf } from '../sessions/tensor-values.ts';
import { createSetGraphs, type SetGraphName } from './set-graphs.ts';

/** What answers by fuzzy sets come from. */
export interface SetsContext extends SetsState {
  readonly model: ModelConfig;
  readonly profile: Profile;
  readonly sessions: SessionCache;
  readonly facts: KnowledgeGraph;
  /** How many queries are planned together. */
  readonly batchSize: number;
}

/** The fuzzy sets of the answers of queries, from the sessions of one profile. */
export function createSetsMode(context: SetsContext): (queries: readonly Query[]) => Promise<AnswerSet[]> {
  const { model, calibration, profile, sessions, batchSize } = context;
  const graphs = createSetGraphs({
    model,
    calibration,
    run: async (name, feeds) => (await sessions.get(setGraph(profile, name))).run(feeds),
  });
  return async (queries) => {
    const sets: AnswerSet[] = [];
    for (const chunk of chunksOf(queries, batchSize))
      sets.push(...(await answerSets(graphs, context, chunk)));
    return sets;
  };
}

/** The graph of a profile by its name for sets. */
export function setGraph({ operators, links, projectSet }: Profile, name: SetGraphName): Profile['links'] {
  if (name === 'links') return links;
  return name === 'projectSet' ? projectSet : operators[name];
}

/** Says what answering a query by fuzzy sets takes. */
export function summariseSets(query: Query): PlanSummary {
  const graphs: Partial<Record<SetGraphName, number>> = {};
  const count = (name: SetGraphName, times = 1): void => {
    graphs[name] = (graphs[name] ?? 0) + times;
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
        count('negation');
        return;
      default:
        node.operands.forEach(visit);
        count(node.op === 'and' ? 'conjunction' : 'disjunction', node.operands.length - 1);
    }
  };
  visit(query);
  return { kind: 'sets', structure: matchStructure(query)?.structure.name ?? null, graphs };
}
