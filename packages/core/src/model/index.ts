export {
  type MappingName,
  type ModelConfig,
  type ModelOptions,
  mappingNames,
  modelConfigSchema,
  modelOptionsSchema,
  type NormalisationName,
  normalisationNames,
  type ProjectionInputName,
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
  outerProjection,
  projectionInput,
  projectionOutput,
  type RowGroups,
  relationProjection,
  relationWeights,
  scoredEntity,
  scoreOfEach,
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
export { plainModel } from './plain-model.ts';
