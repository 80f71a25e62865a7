import { hasNegation, type Query } from '@fuzzqe/core/query';

/** How an answer by fuzzy sets stands to the recorded facts, the surest first. */
export const answerStates = ['recorded', 'doubted', 'partly', 'predicted'] as const;

/**
 * How an answer by fuzzy sets stands to the recorded facts.
 *
 * - `recorded`: the facts give it, and its degree is at least `undoubted`, or the query has no negation: then its degree is the confidence
 *   of the facts.
 * - `doubted`: the facts give it, but its degree is below `undoubted`: the query negates a link that is not recorded, but expected.
 * - `partly`: the query is a conjunction; the facts give some operand that is no negation, and others are predicted.
 * - `predicted`: the facts give no such operand.
 */
export type AnswerState = (typeof answerStates)[number];

/** What each state is called before people. */
export const stateWords: Readonly<Record<AnswerState, string>> = {
  recorded: 'recorded',
  doubted: 'recorded, but doubted',
  partly: 'partly predicted',
  predicted: 'predicted',
};

/** The lowest degree of what the facts give without a doubt. */
export const undoubted = 0.95;

/** The lowest degree of an answer that is not recorded, unless a caller gives another. */
export const leastAnswer = 0.5;

/** The lowest degree of a suggestion. */
export const leastSuggestion = 0.01;

/** What the facts say of the operands of a conjunction. Shapes: [n] each, 1 for what the facts give by themselves. */
export interface KnownOperand {
  readonly known: Uint8Array;
}

/** The state of the answer at a place, whose degree is in [0, 1]; `known`: whether the facts give it by themselves. */
export type StateAt = (place: number, known: boolean, degree: number) => AnswerState;

/** The states of the answers to a query. An absent link is no evidence, so that negated operands make no answer `partly` recorded. */
export function answerStatesOf(query: Query, operands: readonly KnownOperand[]): StateAt {
  const doubts = hasNegation(query);
  const positive =
    query.op === 'and' ? operands.filter((_, i) => query.operands[i]?.op !== 'not') : ([] as const);
  return (place, known, degree) => {
    if (known) return degree >= undoubted || !doubts ? 'recorded' : 'doubted';
    return positive.some((operand) => operand.known[place] === 1) ? 'partly' : 'predicted';
  };
}
