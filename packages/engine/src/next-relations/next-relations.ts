import { asRelationId, type Steps } from '@fuzzqe/core';
import type { Query } from '@fuzzqe/core/query';
import type { SetsAnswerEntity } from '../answer.ts';
import type { Engine } from '../engine.ts';
import { type NamedRelation, nameRelation } from '../explain/name-explanation.ts';
import { inTurns } from '../queue/in-turns.ts';
import type { CallLimits } from '../ranker/call-limits.ts';

/** A relation that leads on from the answers to a query. */
export interface NextRelation {
  readonly relation: NamedRelation;
  /** How many of the answers it leaves, by the recorded facts; in [1, answers]. */
  readonly answers: number;
  /** How many recorded facts it has there. */
  readonly facts: number;
}

/** Which relations can follow a query. */
export interface NextRelations {
  /** How many answers were looked at. */
  readonly answers: number;
  /** Those that leave most answers first, then those with most facts; inverses are relations of their own. */
  readonly results: readonly NextRelation[];
}

/** How to look for them. */
export interface NextRelationsOptions extends CallLimits {
  /** The most answers that are looked at, in [1, |E|]. Default 100, or all entities where there are fewer. */
  readonly k?: number;
}

/** How many suggestions are looked at where there is no answer. */
const fewest = 5;

/**
 * The relations that lead on from the answers to a query, or from the five best suggestions where there is no answer.
 *
 * @throws FuzzError `query` or `range`: the query or k. What the runtime throws.
 */
export async function nextRelations(
  engine: Pick<Engine, 'answer' | 'facts' | 'vocabulary'>,
  query: Query,
  { k, ...limits }: NextRelationsOptions = {},
): Promise<NextRelations> {
  const most = k ?? Math.min(100, engine.facts.entityCount);
  const { answers, suggestions } = await engine.answer(query, { ...limits, k: most });
  const chosen = answers.length > 0 ? answers : suggestions.slice(0, fewest);
  return inTurns(countRelations(engine, chosen), limits);
}

/** How many relations are counted in a piece of work. */
const relationsOfStep = 1024;

function* countRelations(
  { facts, vocabulary }: Pick<Engine, 'facts' | 'vocabulary'>,
  chosen: readonly SetsAnswerEntity[],
): Steps<NextRelations> {
  const counts = new Map<number, { answers: number; facts: number }>();
  let looked = 0;
  for (const { id } of chosen) {
    for (const relation of facts.relationsOf(id)) {
      if (++looked % relationsOfStep === 0) yield;
      const count = counts.get(relation) ?? { answers: 0, facts: 0 };
      count.answers += 1;
      count.facts += facts.tails(id, relation).length;
      counts.set(relation, count);
    }
  }
  yield;
  return {
    answers: chosen.length,
    results: [...counts]
      .sort(([a, one], [b, other]) => other.answers - one.answers || other.facts - one.facts || a - b)
      // The graph gives relations of its own.
      .map(([id, count]) => ({ relation: nameRelation(vocabulary, asRelationId(id)), ...count })),
  };
}
