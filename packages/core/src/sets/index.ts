export { answerSet, type SetOperators } from './answer-set.ts';
export {
  type Calibration,
  calibrationSchema,
  calibrationValues,
  certain,
  defaultCalibration,
  graphCalibration,
} from './calibration.ts';
export {
  type CalibrationTensors,
  calibrationInput,
  type Links,
  linkDegrees,
  projectedSet,
} from './link-degrees.ts';
export { type Members, membersOf } from './members.ts';
