import type { EntityId, EntitySet, Vocabulary } from '@fuzzqe/core';
import type { PlanChoice, PlanSummary } from './plan.ts';
import type { Ranking } from './run-plan.ts';

/** What to leave out: entities that the recorded facts already give, or nothing. */
export type Exclusion = 'known' | 'none';

/** How to answer. */
export interface AnswerOptions {
  /** How many answers, in [1, entityCount]. Default 10, or all entities where there are fewer. */
  readonly k?: number;
  /** Default `none`. */
  readonly exclude?: Exclusion;
  /** Default: the engine's. */
  readonly plan?: PlanChoice;
}

/** One entity that answers a query. */
export interface AnswerEntity {
  readonly id: EntityId;
  readonly key: string;
  readonly label: string;
  /** φ(q, e): comparable within one query, not between queries. */
  readonly score: number;
  /** Whether the recorded facts give this answer by themselves. */
  readonly known: boolean;
}

/** The answer to one query. */
export interface Answer {
  /** Best first, ties to the lower id. */
  readonly answers: readonly AnswerEntity[];
  /** What was likely not meant, as `code: text`. */
  readonly warnings: readonly string[];
  readonly plan: PlanSummary;
}

/** Names the k best entities of a ranking, without the known ones where they are excluded. */
export function nameAnswers(
  ranking: Ranking,
  known: EntitySet,
  vocabulary: Vocabulary,
  { k, exclude }: { readonly k: number; readonly exclude: Exclusion },
): AnswerEntity[] {
  const answers: AnswerEntity[] = [];
  for (let i = 0; i < ranking.ids.length && answers.length < k; i += 1) {
    // The ranking was checked to hold entities of this bundle.
    const id = ranking.ids[i]! as EntityId;
    const isKnown = known.has(id);
    if (isKnown && exclude === 'known') continue;
    const { key, label } = vocabulary.entity(id);
    answers.push({ id, key, label, score: ranking.scores[i]!, known: isKnown });
  }
  return answers;
}
