export {
  loadTensors,
  parametersOf,
  type RunSession,
  type RunState,
  readRunState,
  type SavedTensors,
  saveTensors,
  writeRunState,
} from './checkpoint/checkpoint.ts';
export { decodeSafetensors, encodeSafetensors, type NamedTensors } from './checkpoint/safetensors.ts';
export { writeFileWhole } from './checkpoint/write-file.ts';
export { parseTrainingConfig, type TrainingConfig } from './config.ts';
export * from './datasets/index.ts';
export * from './devices/index.ts';
export * from './evaluation/index.ts';
export { type LearnedQuantities, learnedQuantities } from './loss/loss.ts';
export { type LossConfig, lossNames } from './loss/losses.ts';
export { negativesNames } from './negatives/negatives.ts';
export { plainTraining } from './plain-training.ts';
export { loadTrainingConfig, type Preset, presets } from './presets/presets.ts';
export { trainingSchema } from './presets/training-schema.ts';
export * from './reporting/index.ts';
export { type OrtCudaOptions, ortCudaRuntime } from './runtimes/ort-cuda-runtime.ts';
export { ortCpuRuntime } from './runtimes/ort-runtime.ts';
export { ortWebgpuRuntime } from './runtimes/ort-webgpu-runtime.ts';
export { type TfjsBackend, tfjsRuntime } from './runtimes/tfjs-runtime.ts';
export type { Feeds, TrainingRuntime, TrainingSession, TrainingState } from './runtimes/training-runtime.ts';
export * from './sampling/index.ts';
export { type BatchGroup, type BatchLayout, layOutBatch } from './step/batch-layout.ts';
export { learnedNames, type StepProgram, stateNames, stepProgram } from './step/step-program.ts';
export { type BatchSource, createBatchSource } from './training/batch-source.ts';
export { loadBest, type RunOptions, type RunResult, runTraining } from './training/run.ts';
export { createScorer, type Scorer } from './training/scorer.ts';
export {
  type TrainedStep,
  type TrainingResult,
  type TrainingRun,
  train,
} from './training/trainer.ts';
export { initialState } from './training/training-state.ts';
export type { Validation } from './training/validation.ts';
