export { defaultWeights } from './link/default-weights.ts';
export { type DrawnLink, type DrawOptions, drawLinks, leastDomain } from './link/draw-links.ts';
export { readEvidence, writeEvidence } from './link/evidence-text.ts';
export { type FeatureName, featureCount, featureNames } from './link/features.ts';
export {
  evidenceTemperatures,
  type FitEvidenceOptions,
  type FittedEvidence,
  fitEvidence,
  outcomesAt,
} from './link/fit-evidence.ts';
export { type FittedWeights, fitWeights, type Outcomes, type Shrinkage } from './link/fit-weights.ts';
export { createGraphLinks, type GraphLinks, type GraphState } from './link/graph-links.ts';
export type { LearnedRelations } from './link/learned-relations.ts';
export { createLinkDegrees, type LinkScores, type LinkState } from './link/link-degrees.ts';
export { createLinkReasons, type LinkReasons, type Objection } from './link/link-reasons.ts';
export { type LinkWeights, weightsOf } from './link/link-weights.ts';
export { brierOf, reliabilityOf, type StatedReliability } from './link/reliability.ts';
export { type CandidateSample, type SampleOptions, sampleCandidates } from './link/sample-outcomes.ts';
export { createTailDegrees, type LikelyState, type TailScores } from './link/tail-degrees.ts';
export {
  createTailJudge,
  frequentTails,
  type TailJudge,
  type TailState,
  type TailTerms,
} from './link/tail-judge.ts';
export { type NameNeighbours, namedNeighbours } from './neighbours/neighbour-votes.ts';
export {
  jointLikeness,
  type ModelLikeness,
  type SharedFact,
  type SimilarEntities,
  sharedFacts,
  similarEntities,
} from './neighbours/similar-entities.ts';
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
export type { Axiom, ClassAxiom, EndAxiom, PropertyAxiom, PropertyPairAxiom } from './schema/axiom.ts';
export { type AxiomConflict, axiomConflicts } from './schema/axiom-conflicts.ts';
export { closedGraph } from './schema/closed-graph.ts';
export { declaredAxioms } from './schema/declared-axioms.ts';
export {
  type EntailedFacts,
  type EntailmentOptions,
  type EntailmentReason,
  entailedFacts,
  type Premise,
} from './schema/entailed-facts.ts';
export { datedAxioms, entailedBy, entailedGraph } from './schema/entailed-graph.ts';
export type { EntityKind, EntityKinds } from './schema/entity-kinds.ts';
export { factsBeyond } from './schema/facts-beyond.ts';
export type { Finding } from './schema/finding.ts';
export { type LinkConflict, linkConflicts } from './schema/link-conflicts.ts';
export { type RangeOptions, rangeOf } from './schema/ranges.ts';
export type { RelationOverlap } from './schema/relation-overlaps.ts';
export { describeSchema, type RelationSchema, type SchemaOptions } from './schema/relation-schema.ts';
export { secondTailShare } from './schema/second-tail-share.ts';
export { mayBeReflexive } from './schema/self-loops.ts';
export { findTypeRelations } from './schema/type-relations.ts';
