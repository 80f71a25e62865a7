import { asEntityId, asRelationId, type EntityId } from '@fuzzqe/core';
import { entity, project } from '@fuzzqe/core/query';
import type { CallLimits, Engine } from '@fuzzqe/engine';
import type { QueryBudget } from './query-budget.ts';

/** Finds links that a model predicts. */
export interface PredictedLinks {
  /** Whether any link may be predicted. */
  readonly any: boolean;
  /** Where a relation leads to from an entity, the likeliest first, recorded links included; a relation may be an inverse. */
  tails(head: number, relation: number): Promise<readonly EntityId[]>;
}

/** How likely links are, and how many are asked for. */
export interface LinkOptions {
  /** The lowest degree of a link; undefined: recorded facts only. */
  readonly minDegree: number | undefined;
  /** The most links of one entity and relation. */
  readonly most: number;
  readonly limits: CallLimits;
  readonly budget: QueryBudget;
}

/** Asks an engine, once for each entity and relation. */
export function createPredictedLinks(
  engine: Engine,
  { minDegree, most, limits, budget }: LinkOptions,
): PredictedLinks {
  const any = minDegree !== undefined && !engine.warnings.some((each) => each.startsWith('embedding-only:'));
  const known = new Map<string, Promise<readonly EntityId[]>>();
  const ask = async (head: number, relation: number): Promise<readonly EntityId[]> => {
    const query = project(asRelationId(relation), entity(asEntityId(head)));
    const options = {
      // Recorded links come first, and facts that axioms entail are recorded in no list.
      k: Math.min(most + engine.facts.tails(head, relation).length, engine.facts.entityCount),
      minDegree: minDegree!,
      suggestions: false,
    } as const;
    budget.spend(engine.costOf(query, options));
    const { answers } = await engine.answer(query, { ...limits, ...options });
    return answers.map(({ id }) => id);
  };
  return {
    any,
    tails(head, relation) {
      if (!any) return Promise.resolve([]);
      const key = `${head} ${relation}`;
      const answer = known.get(key) ?? ask(head, relation);
      known.set(key, answer);
      return answer;
    },
  };
}
