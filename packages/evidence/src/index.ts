export { type ConstantRule, confidenceOf, type PathRule, type Rule, type RuleSet } from './rules/rule-set.ts';
