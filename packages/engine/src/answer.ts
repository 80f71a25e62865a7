import type { EntityId } from '@fuzzqe/core';
import type { PlanChoice, PlanSummary } from './embedding/plan.ts';
import type { NamedSupport, PartExplanation } from './explain/name-explanation.ts';
import type { AnswerFilter } from './filter/answer-filter.ts';
import type { CallLimits } from './ranker/call-limits.ts';
import type { AnswerMode, Exclusion } from './ranker/ranker.ts';

export { type AnswerMode, answerModes, type Exclusion } from './ranker/ranker.ts';

interface CommonOptions extends CallLimits {
  /** How many answers, in [1, entityCount]. Default 10, or all entities where there are fewer. */
  readonly k?: number;
  /** Default `none`. */
  readonly exclude?: Exclusion;
  /** Which entities may be answers. Default: all. */
  readonly filter?: AnswerFilter;
}

/** How to answer by fuzzy sets. */
export interface SetsOptions extends CommonOptions {
  readonly mode?: 'sets';
  /** The lowest degree of an answer, in [0, 1]: answer sets, and not only rankings. Default: all above 0. */
  readonly minDegree?: number;
  /** Whether the answers to a query that is one link say how likely they are. Default false: it takes a run more. */
  readonly probability?: boolean;
  /** Whether parts of the query are listed, and each answer has the links through which it follows. Default false: it takes two to three times as long. */
  readonly explain?: boolean;
}

/** How to answer by the embedding. */
export interface EmbeddingOptions extends CommonOptions {
  readonly mode: 'embedding';
  /** Default: the engine's. */
  readonly plan?: PlanChoice;
}

/** How to answer. */
export type AnswerOptions = SetsOptions | EmbeddingOptions;

interface NamedEntity {
  readonly id: EntityId;
  readonly key: string;
  readonly label: string;
  /** Whether the recorded facts give this answer by themselves. */
  readonly known: boolean;
}

/** One entity that answers a query by fuzzy sets; where it is asked for, with why it does. */
export interface SetsAnswerEntity extends NamedEntity, Partial<NamedSupport> {
  /** The truth of "this entity answers the query", in (0, 1]: 1 for what is recorded, also comparable between queries. */
  readonly degree: number;
  /** (11) Of one link, if asked for: how likely it is a fact, in [0, 1]; what is recorded has none. */
  readonly probability?: number;
  /** Of a conjunction, how far the entity answers each operand, in the query's order; other queries have none. */
  readonly operands?: readonly OperandDegree[];
}

/** How far an entity answers one operand of a conjunction. */
export interface OperandDegree {
  /** In [0, 1]. */
  readonly degree: number;
  /** Whether the recorded facts give it by themselves. */
  readonly known: boolean;
}

/** One entity that answers a query by its embedding. */
export interface EmbeddingAnswerEntity extends NamedEntity {
  /** φ(q, e): comparable within one query, not between queries. */
  readonly score: number;
}

interface AnswerOf<Mode extends AnswerMode, Entity> {
  readonly mode: Mode;
  /** Best first, ties to the lower id. */
  readonly answers: readonly Entity[];
  /** What was likely not meant, as `code: text`. */
  readonly warnings: readonly string[];
  readonly plan: PlanSummary;
}

/** The answer to one query by fuzzy sets; fewer than k where no other entity has a degree above 0, with a warning. */
export type SetsAnswer = AnswerOf<'sets', SetsAnswerEntity> & {
  /** Where it is asked for: what every part of the query holds, from the whole of it downwards. */
  readonly parts?: readonly PartExplanation[];
};

/** The answer to one query by its embedding. */
export type EmbeddingAnswer = AnswerOf<'embedding', EmbeddingAnswerEntity>;

/** The answer to one query. */
export type Answer = SetsAnswer | EmbeddingAnswer;
