export {
  type Answerer,
  answerQuery,
  createAnswerer,
  type EasyAndHard,
  easyAndHard,
  type FoundAnswers,
} from './answers.ts';
export { type BetaETuple, queryFromBetaE, queryToBetaE } from './betae.ts';
export { checkPattern, joinedVariables, maxPatternConditions, maxPatternVariables } from './check-pattern.ts';
export {
  checkQuery,
  expectBounds,
  hasNegation,
  maxQueryDepth,
  type QueryBounds,
  queryWarnings,
} from './check-query.ts';
export { nodesOf } from './nodes.ts';
export { formatEntity, formatQuery, formatRelation, parseQueryText } from './notation.ts';
export {
  type Condition,
  type LinkCondition,
  type MemberCondition,
  type Pattern,
  patternOf,
  relationsOf,
  type SameCondition,
  type Term,
  variablesOf,
  withTerms,
} from './pattern.ts';
export {
  type ConditionJson,
  type PatternJson,
  readPattern,
  type TermJson,
  writePattern,
} from './pattern-json.ts';
export { formatPattern, isPatternText, parsePatternText } from './pattern-notation.ts';
export {
  type Exists,
  type PatternPlan,
  type PatternStep,
  type PlanCondition,
  plainTree,
  planPattern,
  treeOf,
} from './pattern-plan.ts';
export {
  fieldsPerTerm,
  joins,
  type ProgramPlan,
  planProgram,
  type StructureQuery,
  termsPerValue,
} from './plan-program.ts';
export {
  type AndQuery,
  and,
  type EntityQuery,
  entity,
  joined,
  type NotQuery,
  not,
  type OrQuery,
  or,
  type ProjectQuery,
  plainQuery,
  project,
  type Query,
  type ReachQuery,
  type Repeat,
  repeats,
  type SetLeaf,
  type SetQuery,
} from './query.ts';
export { type QueryJson, readQuery, readQueryString, writeQuery } from './query-json.ts';
export { type Likeness, meaningsOf, memberOfSet, nameOfSet, type SetMeaning } from './set-meaning.ts';
export {
  countSlots,
  type Structure,
  type StructureName,
  structureNames,
  structures,
  type Template,
} from './structures.ts';
export {
  type FilledTemplate,
  instantiate,
  matchStructure,
  type StructureMatch,
  templateOf,
} from './template.ts';
export { errorAt } from './tokens.ts';
export {
  type ComparedValue,
  formatValueTest,
  kindOfValue,
  type ValueKind,
  type ValueOperator,
  type ValueTest,
  valueOperators,
} from './value-test.ts';
