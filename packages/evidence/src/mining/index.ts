export type { RuleSet } from '../rules/rule-set.ts';
export { type MinedRules, type MineRulesOptions, type MiningProgress, mineRules } from './mine-rules.ts';
