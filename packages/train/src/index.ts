export {
  parametersOf,
  parameterTensors,
  type RunOrigin,
  type RunSession,
  type RunState,
  readRunState,
  type SavedTensors,
  saveTensors,
  writeRunState,
} from './checkpoint/checkpoint.ts';
export type { Ending } from './checkpoint/endings.ts';
export {
  decodeSafetensors,
  encodeSafetensors,
  type NamedTensors,
  readSafetensors,
  writeSafetensors,
} from './checkpoint/safetensors.ts';
export { type MadeRun, writeMadeRun } from './checkpoint/write-made-run.ts';
export {
  isOpenEnded,
  parseTrainingConfig,
  recordedTrainingConfig,
  type TrainingConfig,
  trainingConfigSchema,
  type ValidationMode,
} from './config.ts';
export { chooseDevice } from './devices/choose-device.ts';
export type { DeviceReport } from './devices/inspect-device.ts';
export { gemmRate, stepTime } from './devices/measure-device.ts';
export { type DeviceOptions, openDevice } from './devices/open-device.ts';
export { probeDevice } from './devices/probe-device.ts';
export { sampleSizes, sampleStep } from './devices/sample-step.ts';
export {
  type EnsembleCandidate,
  ensembleConfig,
  ensembleOf,
  type WeightedModel,
} from './ensemble/ensemble.ts';
export {
  evaluatePatterns,
  type PatternEvaluationOptions,
  type PatternMetrics,
  type PatternRanker,
  type RankedEntities,
} from './evaluation/evaluate-patterns.ts';
export {
  type EvaluationOptions,
  type EvaluationReport,
  evaluateRanking,
  type RankedQuery,
} from './evaluation/evaluate-ranking.ts';
export {
  createLinkMetrics,
  type HalfMetrics,
  type LinkMetrics,
  type LinkReport,
  type RankedLink,
  type RelationMetrics,
} from './evaluation/link-metrics.ts';
export { plusHDefects } from './evaluation/plus-h.ts';
export {
  type PublishedFigures,
  type PublishedGraph,
  type PublishedQuerySet,
  publishedFigures,
  publishedGraphOf,
  publishedGraphs,
  publishedMetric,
  publishedQuerySets,
} from './evaluation/published-figures.ts';
export {
  type AverageRow,
  createReport,
  type RankingReport,
  type ReportColumn,
  type ReportRow,
} from './evaluation/report.ts';
export type { HalfStrataReport, StrataReport } from './evaluation/stratified-metrics.ts';
export { isKGReasoningConfig, readKGReasoning } from './foreign/kgreasoning.ts';
export { type LearnedQuantities, learnedQuantities } from './loss/loss.ts';
export { type LossConfig, lossNames } from './loss/losses.ts';
export { negativesNames } from './negatives/negatives.ts';
export { plainTraining } from './plain-training.ts';
export { defaultMinutes, defaultTraining, isLinksAlone, minutesFor } from './presets/default-training.ts';
export {
  familyPresets,
  familyTraining,
  type TrainedOn,
  trainedOnNames,
} from './presets/family-training.ts';
export {
  loadTrainingConfig,
  type Preset,
  type PresetName,
  presetNames,
  presets,
  trainingSchema,
} from './presets/presets.ts';
export { currentEnvironment, type Environment, environmentSchema } from './reporting/environment.ts';
export type { LogEntry, TrainEntry, Validation, ValidationEntry } from './reporting/log-entry.ts';
export { bestValidation, readRunLog } from './reporting/run-log.ts';
export { cudaProviderFiles, missingLibraries } from './runtimes/cuda-problem.ts';
export { type DeviceName, deviceNames } from './runtimes/device-name.ts';
export { type DeviceLimits, expectFit, formatBytes } from './runtimes/expect-fit.ts';
export { ortCudaRuntime } from './runtimes/ort-cuda-runtime.ts';
export { ortCpuRuntime } from './runtimes/ort-runtime.ts';
export { ortWebgpuRuntime } from './runtimes/ort-webgpu-runtime.ts';
export { programCost, stepCost } from './runtimes/program-cost.ts';
export { type TfjsBackend, tfjsRuntime } from './runtimes/tfjs-runtime.ts';
export type { Feeds, TrainingRuntime, TrainingSession, TrainingState } from './runtimes/training-runtime.ts';
export { createBatchLayout } from './step/batch-layout.ts';
export { learnedNames, type StepProgram, stepProgram } from './step/step-program.ts';
export { createBatchSource, fitBatch } from './training/batch-source.ts';
export { type CarryRunOptions, carryRun } from './training/carry-run.ts';
export { isDivergence } from './training/divergence-error.ts';
export { loadRefit, type RefitOptions, refitFolder, refitRun } from './training/refit.ts';
export { refreshConfig } from './training/refresh-config.ts';
export {
  type BestParameters,
  loadBest,
  type RunOptions,
  type RunResult,
  type RunStart,
  runTraining,
} from './training/run.ts';
export {
  type TrainedStep,
  type TrainingResult,
  type TrainingRun,
  train,
} from './training/trainer.ts';
export { initialState } from './training/training-state.ts';
