export { type ConstantRule, confidenceOf, type PathRule, type Rule, type RuleSet } from './rules/rule-set.ts';
export type { Axiom, ClassAxiom, EndAxiom, PropertyAxiom, PropertyPairAxiom } from './schema/axiom.ts';
export { type AxiomConflict, axiomConflicts } from './schema/axiom-conflicts.ts';
export { declaredAxioms } from './schema/declared-axioms.ts';
export {
  type EntailedFacts,
  type EntailmentOptions,
  type EntailmentReason,
  entailedFacts,
  type Premise,
} from './schema/entailed-facts.ts';
export type { EntityKind, EntityKinds } from './schema/entity-kinds.ts';
export type { Finding } from './schema/finding.ts';
export { type RangeOptions, rangeOf } from './schema/ranges.ts';
export type { RelationOverlap } from './schema/relation-overlaps.ts';
export { describeSchema, type RelationSchema, type SchemaOptions } from './schema/relation-schema.ts';
export { secondTailShare } from './schema/second-tail-share.ts';
export { mayBeReflexive } from './schema/self-loops.ts';
export { findTypeRelations } from './schema/type-relations.ts';
