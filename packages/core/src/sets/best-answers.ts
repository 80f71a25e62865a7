import type { EntitySet } from '../kg/entity-set.ts';
import { unsureRelations } from '../kg/fact-confidences.ts';
import type { Query } from '../query/query.ts';
import { type AnswerSet, answerSets, type SetsState } from './answer-sets.ts';
import { type Arrays, newArrays } from './arrays.ts';
import { highestPredicted } from './projection-settings.ts';
import { createScalarJoin } from './scalar-join.ts';

/** Which answers to a query are wanted. */
export interface WantedAnswers {
  /** How many of the best. */
  readonly count: number;
  /** The lowest degree of an answer. Default: any above 0. */
  readonly minDegree?: number | undefined;
  /** The entities that are no answer here. */
  readonly excluded?: EntitySet | undefined;
  /** The answers that the facts alone give. */
  readonly recorded: EntitySet;
}

/** What single precision adds to a degree by chance is far below this. */
const margin = 1e-5;

/**
 * The fuzzy sets of queries as far as the wanted answers need them.
 *
 * A query without ¬, along relations whose facts are certain, has its recorded answers at 1 exactly, and every other entity below 1. Where as many are recorded as are wanted, no link
 * is computed, and the set has 1 for the recorded answers and 0 elsewhere. Other queries get their whole sets.
 *
 * Shapes and order as `answerSets`.
 */
export async function bestAnswers(
  state: SetsState,
  queries: readonly Query[],
  wanted: readonly WantedAnswers[],
): Promise<AnswerSet[]> {
  const { arrays = newArrays } = state;
  const known = queries.map((query, i) =>
    recordedComeFirst(state, query) ? recordedAnswers(query, wanted[i]!, arrays) : undefined,
  );
  const open = await answerSets(
    state,
    queries.filter((_, i) => known[i] === undefined),
  );
  let next = 0;
  return known.map((answer) => answer ?? open[next++]!);
}

/** Whether the recorded answers to a query have degree 1, and every other entity less: no ¬, and no relation with uncertain facts. */
export function recordedComeFirst(state: Pick<SetsState, 'logic' | 'facts'>, query: Query): boolean {
  return highestUnrecorded(state, query) < 1 - margin;
}

/** The answers that are recorded, where there are enough of them. */
function recordedAnswers(
  query: Query,
  { count, excluded, recorded }: WantedAnswers,
  arrays: Arrays,
): AnswerSet | undefined {
  const open = excluded === undefined ? recorded : recorded.clone().subtract(excluded);
  if (open.size < count) return undefined;
  const degrees = arrays.take(recorded.universe);
  for (const id of open) degrees[id] = 1;
  return { degrees, operands: query.op === 'and' ? query.operands.map(() => degrees) : [] };
}

/** The most that an entity can have which the facts alone do not give; 1 where a negation or a fact that is less than certain leaves no such limit. */
function highestUnrecorded({ logic, facts }: Pick<SetsState, 'logic' | 'facts'>, query: Query): number {
  const unsure = facts.confidences === undefined ? undefined : unsureRelations(facts.confidences);
  const limitOf = (node: Query): number => {
    switch (node.op) {
      case 'entity':
        return 0;
      case 'not':
        return 1;
      case 'project':
        return unsure?.has(node.relation) ? 1 : Math.max(highestPredicted, limitOf(node.from));
      default: {
        // An entity may be recorded for all operands of ∧ but one.
        const limits = node.operands.map(limitOf);
        if (node.op === 'and') return Math.max(...limits);
        return limits.reduce(createScalarJoin(logic.or));
      }
    }
  };
  return limitOf(query);
}
