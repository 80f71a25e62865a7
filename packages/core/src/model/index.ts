export {
  type MappingName,
  type ModelConfig,
  type ModelOptions,
  mappingNames,
  modelConfigSchema,
  type NormalisationName,
  normalisationNames,
  type ProjectionInputName,
  plainModel,
  projectionInputNames,
  type ScoreName,
  scoreNames,
} from './config.ts';
export { embedProgram, type ProgramPieces } from './embed-program.ts';
export {
  embedTemplate,
  entityEmbedding,
  groupedProjection,
  logicOf,
  meanScore,
  outerProjection,
  projectionInput,
  projectionOutput,
  type RowGroups,
  relationProjection,
  relationWeights,
  scoredEntity,
  scorePairs,
  scores,
  trainedParameters,
} from './fuzzqe.ts';
export {
  type InitialisationName,
  initialisationNames,
  initialiseParameters,
  type ParameterName,
  type Parameters,
  parameterNames,
  parameterShapes,
} from './parameters.ts';
export { modelOptionsSchema, runModelSchema } from './run-config.ts';
