export type { Answer, AnswerEntity, AnswerOptions, Exclusion } from './answer.ts';
export * from './compare.ts';
export { type Engine, type EngineOptions, openEngine, type RankOptions } from './engine.ts';
export * from './parity.ts';
export { type PlanChoice, type PlanSummary, type PlanWay, planWays } from './plan.ts';
export type { Ranking } from './run-plan.ts';
export * from './session.ts';
export * from './tolerances.ts';
