export { applyRules, type FiredRules } from './rules/apply-rules.ts';
export { explainRules, type RuleInstance } from './rules/explain-rules.ts';
export { ruleExamples } from './rules/rule-examples.ts';
export { createRuleIndex, type RuleIndex } from './rules/rule-index.ts';
export {
  type ConstantRule,
  compareRules,
  confidenceOf,
  type PathRule,
  type Rule,
  type RuleSet,
} from './rules/rule-set.ts';
export { type ReadRulesOptions, type RulesGraph, readRules, writeRules } from './rules/rules-text.ts';
