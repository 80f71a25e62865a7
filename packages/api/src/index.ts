export { type ApiOptions, type App, createApp } from './app.ts';
export { type DuplicateKey, findDuplicateKey } from './body/duplicate-key.ts';
export {
  checkEncoding,
  checkMediaType,
  type HeaderReader,
  parseJsonBytes,
  readBody,
} from './body/read-json.ts';
export { readText, type TextRules } from './body/read-text.ts';
export { writeAnswer } from './body/write-answer.ts';
export { writeJson } from './body/write-json.ts';
export { checkApiOptions, checkModels } from './check-api-options.ts';
export { methodError } from './errors/method-error.ts';
export {
  type Problem,
  type ProblemStatus,
  problemHeaders,
  problemOf,
  problemResponse,
} from './errors/problem.ts';
export { RequestError, type RequestErrorCode } from './errors/request-error.ts';
export { negotiateType, type OfferedType } from './headers/negotiate-type.ts';
export { isOrigin, originForm } from './headers/origin.ts';
export type { Landing } from './landing.ts';
export {
  type ClosedModel,
  createModelRegistry,
  type FilledRegistry,
  type Model,
  type ModelLease,
  type ModelRegistry,
  type ModelWatcher,
} from './models/model-registry.ts';
export type {
  AnswerWriter,
  ApiContext,
  ApiEnv,
  ApiMiddleware,
  ApiPart,
  ApiRoute,
  FaultListener,
  RequestSubject,
} from './part/api-part.ts';
export {
  answered,
  type Declaration,
  type Declarations,
  type Declare,
  type DeclaredAnswer,
  type FieldNotes,
  type Form,
  formNamed,
  type OpenApiObject,
  titled,
} from './part/declaration.ts';
export type {
  FactsAccess,
  GivenBatch,
  GivenChange,
  GivenNames,
  GivenWriter,
  LinkConflict,
  NextJudgement,
  NextOptions,
  WrittenFacts,
  WrittenJudgements,
} from './part/facts-access.ts';
export { dateForm } from './part/query-notes.ts';
export type { QueryExchange } from './v1/answer-query.ts';
export { type BatchLine, lineTypes } from './v1/batch-route.ts';
export type { ModelInfo } from './v1/models-route.ts';
export type { NamedId, NameListing } from './v1/names-route.ts';
export type { StructureInfo, StructureListing } from './v1/structures-route.ts';
export { limitsOf, type TimeLimit, timeoutForm, timeoutHeader } from './v1/time-limit.ts';
