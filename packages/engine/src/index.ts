export type { Answer, AnswerEntity, AnswerOptions, Exclusion } from './answer.ts';
export { type OpenBundle, openBundle } from './bundle.ts';
export { type Engine, type EngineOptions, openEngine, type RankOptions } from './engine.ts';
export { type PlanChoice, type PlanKind, type PlanSummary, planKinds } from './plan.ts';
export type { Ranking } from './run-plan.ts';
export type { Session, SessionFactory, TensorValue, TensorValues } from './session.ts';
