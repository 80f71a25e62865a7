export {
  answerPattern,
  extensionsPerLink,
  isExact,
  type PatternLimits,
  type PatternTuples,
  tupleKey,
} from './answer-pattern.ts';
export {
  type AnswerSet,
  answerSets,
  type GivenMembers,
  type OnMembers,
  type SetsState,
} from './answer-sets.ts';
export { type ArrayPool, type Arrays, createArrayPool, newArrays } from './arrays.ts';
export { bestAnswers, recordedComeFirst, type WantedAnswers } from './best-answers.ts';
export { expectedOf, expectedTails } from './expected-tails.ts';
export {
  checkExplanation,
  type Derivation,
  type Explanation,
  type ExplanationOptions,
  explainAnswers,
  maxExplanationSteps,
  type PartMembers,
  type SupportingLink,
} from './explain-answers.ts';
export type { LinkDegrees } from './link-degrees.ts';
export type { BestTails, LinkTails } from './link-tails.ts';
export { degreesAt } from './listed-set.ts';
export { type Members, membersAreDecided, membersOf } from './members.ts';
export { type ProjectedSet, projectSet } from './project-set.ts';
export {
  certain,
  defaultProjection,
  highestPredicted,
  type ProjectionSettings,
  projectionSettingsSchema,
} from './projection-settings.ts';
export { recordedState } from './recorded-state.ts';
export { createSetCache, type SetCache } from './set-cache.ts';
export { createSetLogic, type SetLogic } from './set-logic.ts';
export { type LikelyTails, tailSets } from './tail-sets.ts';
