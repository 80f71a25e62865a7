export {
  type CalibrationQueries,
  type CalibrationResult,
  type CalibrationTask,
  calibrateRun,
  type LinkThreshold,
  openCalibration,
  readCalibrationQueries,
} from './evaluation/calibrate-run.ts';
export {
  type AnswerMode,
  answerModes,
  type CandidateModel,
  type OpenModel,
  openRun,
  openRunAsSets,
} from './evaluation/candidate-model.ts';
export {
  type ComparedModel,
  type Comparison,
  type ComparisonTask,
  compareModels,
} from './evaluation/compare-models.ts';
export { expectSameGraph } from './evaluation/expect-same-graph.ts';
export {
  readSavedCalibration,
  type SavedCalibration,
  saveCalibration,
} from './evaluation/saved-calibration.ts';
export {
  createSavedEvaluation,
  evaluationTitle,
  readSavedEvaluations,
  type SavedEvaluation,
  saveEvaluation,
} from './evaluation/saved-evaluations.ts';
export { type ExportTask, exportRun, exportStageLabels } from './export-run.ts';
export type { PipelineImport } from './open-dataset.ts';
export {
  defaultOutput,
  type PipelineFolders,
  type PipelineOptions,
  type PipelineResult,
  pipeline,
  pipelineFolders,
} from './pipeline.ts';
export {
  type PipelineEnd,
  type PipelineEvent,
  type PipelineProgress,
  type PipelineStage,
  pipelineStages,
} from './pipeline-event.ts';
