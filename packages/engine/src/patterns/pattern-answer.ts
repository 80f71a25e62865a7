import type { EntityId } from '@fuzzqe/core';
import type { Exists } from '@fuzzqe/core/query';
import type { AttributeValue, ValueOrder } from '@fuzzqe/names';
import type { NamedId, NamedRelation, NamedSupport } from '../explain/name-explanation.ts';
import type { CallLimits } from '../ranker/call-limits.ts';
import type { Exclusion } from '../ranker/ranker.ts';
import type { AnswerState } from '../sets/answer-state.ts';

/** How to answer a pattern. */
export interface PatternOptions extends CallLimits {
  /** How many answers and suggestions together, in [1, 10 000]. Default 10. */
  readonly k?: number | undefined;
  /** The lowest degree of an answer that is not recorded, in [0, 1]. Default 0.5. */
  readonly minDegree?: number | undefined;
  /** Whether the best tuples below `minDegree` are listed, from a degree of 0.01 on. Default true. */
  readonly suggestions?: boolean | undefined;
  /** A date: only facts count that hold at its first moment. Default: all facts. */
  readonly at?: string | undefined;
  /** Default `none`. */
  readonly exclude?: Exclusion | undefined;
  /** Whether each answer has what supports it, condition by condition. Default false. */
  readonly explain?: boolean | undefined;
  /** Whether it is counted how many answers are recorded, and how many are expected. Default false. */
  readonly count?: boolean | undefined;
  /** How the degrees of the assignments of a tuple are joined: by their maximum, or by the logic's ∨. Default `max`. */
  readonly exists?: Exists | undefined;
  /** How many links are computed at most, in [1, 65 536]. Default 64. */
  readonly links?: number | undefined;
  /** How many entities are tried for a variable at most, in [1, 65 536]. Default 256. */
  readonly width?: number | undefined;
  /** An entity for each answer variable: only this tuple may be an answer. Default: any tuple. */
  readonly tuple?: readonly EntityId[] | undefined;
  /** By what the answers are sorted, before `k` of them are taken; suggestions are not listed then. Default: the best first. */
  readonly order?: PatternOrder | undefined;
}

/** Sorts answers by the literals of an answer variable. */
export interface PatternOrder extends ValueOrder {
  /** The name of the variable. Default: the first answer variable. */
  readonly variable?: string | undefined;
}

/** An entity of an answer. */
export type PatternEntity = NamedId;

/** Why a condition on a variable holds in an answer. */
export interface ConditionSupport extends NamedSupport {
  /** The name of the variable; empty for an entity of the pattern. */
  readonly variable: string;
}

/** Why a variable is in the set of a condition on values, by literals that pass, or on likeness, by facts in common. */
export type SetSupport =
  | {
      /** The name of the variable. */
      readonly variable: string;
      /** The condition: `height > 200`. */
      readonly where: string;
      /** The literals that pass: at most 5. */
      readonly values: readonly AttributeValue[];
    }
  | {
      readonly variable: string;
      readonly like: NamedId;
      /** Where both lead along the same relation, and what each adds to the degree, the most first: at most 5. */
      readonly shared: readonly {
        readonly relation: NamedRelation;
        readonly entity: NamedId;
        readonly share: number;
      }[];
      /** What the vectors of the model add to the degree, in (0, 1]; absent where facts alone are compared. */
      readonly byModel?: number;
    };

/** One answer to a pattern. */
export interface PatternRow {
  /** An entity for each column. */
  readonly entities: readonly PatternEntity[];
  readonly state: AnswerState;
  /** How likely it is that all conditions hold, in (0, 1]: the degree of the best assignment. */
  readonly degree: number;
  /** The other variables that the search gave values, with these values. */
  readonly others: Readonly<Record<string, PatternEntity>>;
  /** The literal by which the answers are sorted; absent if the entity has no such literal, or no order was asked for. */
  readonly value?: AttributeValue;
  /** Where it is asked for: what supports the answer. */
  readonly because?: readonly ConditionSupport[];
  /** Where it is asked for, and the pattern has such conditions: what supports conditions on values and on likeness. */
  readonly sets?: readonly SetSupport[];
}

/** How many answers a pattern has. */
export interface PatternCounts {
  /** How many the facts give; `atLeast` if they may be more. */
  readonly recorded: number;
  readonly atLeast: boolean;
  /** The sum of the degrees of the answers and suggestions that were found: how many are expected to be right. */
  readonly expected: number;
}

/** The answer to a pattern: `rows` are what the facts record and what has at least `minDegree`. */
export interface PatternAnswer {
  /** The names of the answer variables; no name for a question of yes or no. */
  readonly columns: readonly string[];
  /** Of a question of yes or no, one row without entities if the answer is yes. */
  readonly rows: readonly PatternRow[];
  /** The best of the tuples that are no answers, of degrees in [0.01, minDegree): nothing to state as a fact. */
  readonly suggestions: readonly PatternRow[];
  /** Whether no better tuple was left out: false where the budget of links or of entities ended first. */
  readonly exact: boolean;
  /** The highest degree that a tuple may have which was not looked at; 0 if `exact`. */
  readonly unseen: number;
  readonly counts?: PatternCounts;
  /** What was likely not meant, as `code: text`. */
  readonly warnings: readonly string[];
  readonly plan: PatternSummary;
}

/** How a pattern was answered. */
export interface PatternSummary {
  /** `tree` where the pattern is a tree, whose whole set was computed; else `search`. */
  readonly kind: 'tree' | 'search';
  /** The variables that the search gave values, in this order. */
  readonly variables: readonly string[];
  /** How many links were computed. */
  readonly links: number;
}
