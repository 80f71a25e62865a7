export {
  largestDimension,
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
} from './config/config.ts';
export {
  type AnyFamilyName,
  type FamilyName,
  type FamilyTraits,
  familyNames,
  type OfFamily,
  type OtherFamilyName,
  scoresWhole,
  structuresOf,
  traitsOf,
} from './config/family-traits.ts';
export {
  type InitialisationName,
  initialisationNames,
  type LayerName,
  type OfParameters,
  type ParameterName,
  type Parameters,
  parameterNames,
} from './config/of-parameters.ts';
export {
  domainHeads,
  domainShape,
  hasCentroids,
  type RelationDomains,
  relationDomains,
} from './config/relation-domains.ts';
export { modelOptionsSchema, runModelSchema } from './config/run-config.ts';
export { familyOf } from './families/families.ts';
export {
  type Comparison,
  type Family,
  type FamilyTable,
  matricesTable,
  type OfRelations,
  type ProjectionDropout,
  type RowGroups,
  type SharedTensors,
  type Tables,
} from './families/family.ts';
export { basesOf, projectionInput, projectionOutput } from './families/fuzzqe/bases.ts';
export { blockProduct, entityRelativeToMean, relativeToMean } from './families/fuzzqe/blocks.ts';
export { meanScore, scoredEntity, scorePairs, scores } from './families/fuzzqe/scores.ts';
export { centroid, centroidsIn } from './programs/centroid.ts';
export { embedProgram, type ProgramPieces } from './programs/embed-program.ts';
export { embedTemplate, type TemplateSlots } from './programs/embed-template.ts';
export {
  anchorVectors,
  entityEmbedding,
  groupedProjection,
  linkScores,
  logicOf,
  outerProjection,
  queryDirections,
  relationProjection,
  relationWeights,
} from './programs/formulas.ts';
export {
  initialiseParameters,
  numericParameters,
  parameterNamesOf,
  parameterShapes,
  trainedParameters,
} from './programs/parameters.ts';
