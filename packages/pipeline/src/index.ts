export { type EnsembleMember, type EnsembleTask, ensembleRuns } from './ensemble-runs.ts';
export {
  type CalibrationResult,
  type CalibrationTask,
  calibrateRun,
  openCalibration,
  recordedShareOf,
} from './evaluation/calibrate-run.ts';
export {
  type AnswerMode,
  answerModes,
  type CandidateModel,
  type EvaluationMode,
  embeddedBy,
  evaluationModes,
  isAnswerMode,
  type OpenModel,
  openRun,
  openRunAsSets,
  openRunByAssignments,
  type RunAsSetsOptions,
  type RunByAssignmentsOptions,
} from './evaluation/candidate-model.ts';
export {
  type ComparedModel,
  type Comparison,
  type ComparisonTask,
  compareModels,
} from './evaluation/compare-models.ts';
export {
  type DegreesReport,
  type DegreesReports,
  type DegreesTask,
  evaluateDegrees,
} from './evaluation/evaluate-degrees.ts';
export { expectSameGraph } from './evaluation/expect-same-graph.ts';
export {
  type FitGraphOptions,
  type FittedGraph,
  fitGraphEvidence,
} from './evaluation/fit-graph-evidence.ts';
export {
  type CheckpointOptions,
  degreesBy,
  type OpenCheckpoint,
  openCheckpoint,
  scorerOf,
} from './evaluation/open-checkpoint.ts';
export { type OptimumMode, optimumModes, usualBeam } from './evaluation/optimum/optimum-modes.ts';
export { patternRanker, type SearchLimits } from './evaluation/pattern-ranker.ts';
export { createRulesBaseline } from './evaluation/rules-baseline.ts';
export {
  readSavedCalibration,
  readSavedRules,
  type SavedCalibration,
  saveCalibration,
} from './evaluation/saved-calibration.ts';
export {
  createSavedEvaluation,
  evaluationTitle,
  readCardMetrics,
  readSavedEvaluations,
  type SavedEvaluation,
  saveEvaluation,
} from './evaluation/saved-evaluations.ts';
export {
  type ServedParameters,
  type ServeParametersOptions,
  serveParameters,
} from './evaluation/serve-parameters.ts';
export {
  type ExportTask,
  exportRun,
  exportStageLabels,
  type FactsChoice,
  factsToRecord,
} from './export-run.ts';
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
export { type FigureChange, noticeableFall } from './refresh/figure-changes.ts';
export {
  type RefreshBegun,
  type RefreshOptions,
  type RefreshResult,
  refreshRun,
} from './refresh/refresh-run.ts';
export type { Cell } from './reproduce/cell-file.ts';
export {
  type ReproduceEvent,
  type ReproduceOptions,
  reproduce,
  reproductionFiles,
} from './reproduce/reproduce.ts';
export {
  type PublishedRow,
  type ReproducedRow,
  type Reproduction,
  type RowState,
  readReproduction,
  type SeedFigures,
  withoutModel,
} from './reproduce/reproduction.ts';
export {
  familyTitle,
  type ReproductionTable,
  reproductionPage,
  reproductionTable,
} from './reproduce/reproduction-page.ts';
export {
  lawDraws,
  type ReproducedTable,
  reproducedTables,
  tableKinds,
  tableNamed,
} from './reproduce/table-kinds.ts';
export { type TrainRunOptions, trainRun } from './training/train-run.ts';
export { createValidation, type ValidationTask, validatedQueries } from './training/validation.ts';
