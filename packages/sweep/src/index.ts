export { usualLease } from './claim.ts';
export { drawTrial, type TrialParameters, trialConfig, trialCount } from './draw-trial.ts';
export { createSweep, enterSweep, readSweep, type Sweep, type SweepData } from './open-sweep.ts';
export { isPruned, type ReportedTrial } from './prune.ts';
export { runSweep, type SweepWork, type SweepWorker } from './run-sweep.ts';
export type { TrialEnd, TrialMachine, TrialObserver } from './run-trial.ts';
export { folderStore } from './store/folder-store.ts';
export { openStore } from './store/open-store.ts';
export type { S3Patience } from './store/s3-requests.ts';
export { type S3Settings, s3Settings } from './store/s3-settings.ts';
export { s3Store } from './store/s3-store.ts';
export type { StoredText, SweepStore } from './store/sweep-store.ts';
export {
  type Objective,
  type ParameterSpace,
  type Pruning,
  readSweepFile,
  type SweepFile,
} from './sweep-file.ts';
export {
  type SweepStatus,
  sweepStatus,
  type TrialState,
  type TrialStatus,
  writeBestTrial,
} from './sweep-status.ts';
export { type TrialOutcome, type TrialResult, type TrialValue, trialOutcomes } from './trial-result.ts';
