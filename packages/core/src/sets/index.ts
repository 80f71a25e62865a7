export { answerSet, type SetOperators } from './answer-set.ts';
export { type Calibration, certain, defaultCalibration } from './calibration.ts';
export { type Links, linkDegrees, projectedSet } from './link-degrees.ts';
export { type Members, membersOf } from './members.ts';
