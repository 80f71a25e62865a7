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

/** What the facts say of one answer to a query. */
export interface RecordedParts {
  /** Whether the facts give the answer by themselves. */
  readonly known: boolean;
  /** In [0, 1]. */
  readonly degree: number;
  /** Of a conjunction, whether the facts give its operand at this place by themselves. */
  readonly knownOperand: (operand: number) => boolean;
}

/** The state of an answer to a query. An absent link is no evidence, so that negated operands make no answer `partly` recorded. */
export function answerState(query: Query, { known, degree, knownOperand }: RecordedParts): AnswerState {
  if (known) return degree >= undoubted || !hasNegation(query) ? 'recorded' : 'doubted';
  const isPartly = query.op === 'and' && query.operands.some(({ op }, i) => op !== 'not' && knownOperand(i));
  return isPartly ? 'partly' : 'predicted';
}
