export {
  type AnswerSet,
  answerSets,
  type CandidateGraphs,
  type LinkFeeds,
  type OnMembers,
  type SetFeeds,
  type SetGraphs,
  type SetsState,
} from './answer-sets.ts';
export { type ArrayPool, type Arrays, createArrayPool, newArrays } from './arrays.ts';
export { type BestAnswers, createBestAnswers, type WantedAnswers } from './best-answers.ts';
export {
  type Calibration,
  calibrationSchema,
  calibrationValues,
  certain,
  defaultCalibration,
  graphCalibration,
} from './calibration.ts';
export { type CertainAnswers, createCertainAnswers } from './certain-answers.ts';
export { type CosineCounts, createCosineCounts } from './cosine-counts.ts';
export {
  type CalibrationTensors,
  calibrationInput,
  candidateDegrees,
  entityDirections,
  joinRecorded,
  linkLogits,
  lowestDegree,
  partitionTerms,
  predictedDegrees,
  projectedSet,
  type Reached,
  reachedBy,
  type SetLinks,
  type SetProjection,
} from './degrees.ts';
export { exclusivityOf } from './exclusivity.ts';
export { expectedTails } from './expected-tails.ts';
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
export type { LinkCounts } from './link-counts.ts';
export {
  type Knot,
  type LinkProbability,
  linkProbability,
  linkProbabilitySchema,
  type Population,
  type Reliability,
  shareCalibration,
} from './link-probability.ts';
export { type Members, membersAreDecided, membersOf, recordedRows } from './members.ts';
export {
  joinNeighbours,
  neighbourLinks,
  neighbourSet,
  type SparseSet,
  tailsByNeighbours,
} from './neighbour-links.ts';
export { headsOfRelations, linkOffset, linkOffsets, measurePartitions } from './partitions.ts';
export { createSetCache, type SetCache } from './set-cache.ts';
export { createSetLogic, type SetLogic } from './set-logic.ts';
