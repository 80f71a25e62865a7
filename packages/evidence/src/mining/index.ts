export type { RuleSet } from '../rules/rule-set.ts';
