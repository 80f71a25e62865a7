export { profileSize } from './bundle/check-size.ts';
export { defaultSets } from './bundle/default-sets.ts';
export { exportBundle } from './bundle/export-bundle.ts';
export type { ExportOptions, ExportProgress, RecordedFacts, SetsOptions } from './bundle/export-options.ts';
export type { ValidationQuery } from './bundle/measure-quality.ts';
export { signBundle } from './bundle/sign-bundle.ts';
export { type WriteModelOptions, writeModel } from './bundle/write-model.ts';
export { modelCard, type TrainedFacts } from './card/model-card.ts';
export type { CardExample } from './card/use-section.ts';
export { replaceFolder } from './files/replace-folder.ts';
export { inVersionFolder, type VersionLocation } from './files/version-folder.ts';
export { float64Scores } from './golden/float64-scores.ts';
export { checkGoldenQueries, type GoldenQuery, randomGoldenQueries } from './golden/golden-query.ts';
export { type ExportProfile, type ProfileName, profileNames } from './profiles/profile.ts';
export { checkProfiles, profiles } from './profiles/profiles.ts';
export { linksProgram, rankProgram } from './programs/answer-programs.ts';
export { combinedSwitch } from './programs/combined-switch.ts';
export { edgeSwitch } from './programs/edge-switch.ts';
export { mixedProgram } from './programs/mixed-program.ts';
export { operatorPrograms } from './programs/operator-programs.ts';
export type { ServedModel } from './programs/served-model.ts';
export { structureProgram, structurePrograms } from './programs/structure-programs.ts';
export { tableParameters, tablesOf } from './programs/tables.ts';
export { defaultProfile } from './targets/default-profile.ts';
export { type HubOptions, writeHubBundle } from './targets/hub/write-hub-bundle.ts';
export {
  type DestinationName,
  destinationNames,
  type ExportTarget,
  type TargetName,
  targetNames,
  targets,
  workerMemory,
} from './targets/target.ts';
export {
  type TritonOptions,
  type TritonRepository,
  writeTritonRepository,
} from './targets/triton/write-triton-repository.ts';
export { type WorkerLimit, workerLimits } from './targets/worker-limits.ts';
export { materialise } from './weights/materialise.ts';
export { openWeights, type WeightsReader } from './weights/weights-reader.ts';
