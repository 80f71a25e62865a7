export {
  type CandidateModel,
  expectSameGraph,
  type OpenModel,
  openRun,
} from './evaluation/candidate-model.ts';
export {
  type ComparedModel,
  type Comparison,
  type ComparisonTask,
  compareModels,
} from './evaluation/compare-models.ts';
export {
  type KeptEvaluation,
  keepEvaluation,
  keptEvaluations,
  titleOf,
  toKeep,
} from './evaluation/kept-evaluations.ts';
export { type ExportTask, exportRun, exportWords } from './export-run.ts';
export {
  type PipelineFolders,
  type PipelineOptions,
  type PipelineResult,
  pipeline,
  pipelineFolders,
  pipelineOut,
} from './pipeline.ts';
export {
  type PipelineEnd,
  type PipelineEvent,
  type PipelineProgress,
  type PipelineStage,
  pipelineStages,
} from './pipeline-event.ts';
