import type { EntityId } from '@fuzzqe/core';
import type { PlanChoice, PlanSummary } from './embedding/plan.ts';
import type { NamedSupport, PartExplanation } from './explain/name-explanation.ts';
import type { AnswerFilter } from './filter/answer-filter.ts';
import type { CallLimits } from './ranker/call-limits.ts';
import type { AnswerMode, Exclusion } from './ranker/ranker.ts';
import type { AnswerState } from './sets/answer-state.ts';

export { type AnswerMode, answerModes, type Exclusion } from './ranker/ranker.ts';

interface CommonOptions extends CallLimits {
  /** How many answers and suggestions together, in [1, entityCount]. Default 10, or all entities where there are fewer. */
  readonly k?: number;
  /** Default `none`. */
  readonly exclude?: Exclusion;
  /** Which entities may be answers. Default: all. */
  readonly filter?: AnswerFilter;
}

/** How to answer by fuzzy sets. */
export interface SetsOptions extends CommonOptions {
  readonly mode?: 'sets';
  /** The lowest degree of an answer that is not recorded, in [0, 1]; 0 takes every degree above 0. Default 0.5. */
  readonly minDegree?: number;
  /** Whether the best entities below `minDegree` are listed, from a degree of 0.01 on. Default true. */
  readonly suggestions?: boolean;
  /** Whether parts of the query are listed, and each answer has the links through which it follows. Default false: it takes two to three times as long. */
  readonly explain?: boolean;
  /**
   * A date: facts count that hold then, and no other fact is recorded or is evidence. `2001`, `2001-05` and `2001-05-31` are their first moments;
   * `2001-05-31T10:00Z` is a moment. Default: all facts count.
   */
  readonly at?: string;
}

/** How to answer in mode `embedding`. */
export interface EmbeddingOptions extends CommonOptions {
  readonly mode: 'embedding';
  /** Default: the engine's. */
  readonly plan?: PlanChoice;
}

/** How to rank by embeddings, without names. */
export interface RankOptions extends Pick<EmbeddingOptions, 'k' | 'exclude' | 'plan'> {}

/** How to rank by fuzzy sets, without names. */
export interface RankSetsOptions extends Pick<SetsOptions, 'k' | 'exclude'> {
  /** The lowest degree of what is listed, in [0, 1]. Default: every degree above 0. */
  readonly minDegree?: number;
}

/** How to answer. */
export type AnswerOptions = SetsOptions | EmbeddingOptions;

interface NamedEntity {
  readonly id: EntityId;
  readonly key: string;
  readonly label: string;
}

/** One entity that answers a query by fuzzy sets; where it is asked for, with why it does. */
export interface SetsAnswerEntity extends NamedEntity, Partial<NamedSupport> {
  /** How it stands to the recorded facts. */
  readonly state: AnswerState;
  /** How likely it is that this entity answers the query, in (0, 1]: comparable between queries. */
  readonly degree: number;
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
  /** Whether the recorded facts give this answer by themselves. */
  readonly known: boolean;
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

/** The answer to one query by fuzzy sets: `answers` are what the facts record and what has at least `minDegree`. */
export type SetsAnswer = AnswerOf<'sets', SetsAnswerEntity> & {
  /** The best of the entities that are no answers, best first, of degrees in [0.01, minDegree): nothing to state as a fact. */
  readonly suggestions: readonly SetsAnswerEntity[];
  /** Where it is asked for: what every part of the query holds, from the whole of it downwards. */
  readonly parts?: readonly PartExplanation[];
  /** The date, if the question has one. */
  readonly at?: string;
};

/** The answer to one query by its embedding. */
export type EmbeddingAnswer = AnswerOf<'embedding', EmbeddingAnswerEntity>;

/** The answer to one query. */
export type Answer = SetsAnswer | EmbeddingAnswer;
