import type { KnowledgeGraph } from '@fuzzqe/core';
import { answerSets, createSetLogic, defaultProjection } from '@fuzzqe/core/sets';
import type { Baseline } from '@fuzzqe/data';
import {
  createLinkDegrees,
  createRuleIndex,
  type FeatureName,
  featureNames,
  type LinkWeights,
  type RuleSet,
} from '@fuzzqe/evidence';
import { scorerOf } from './open-checkpoint.ts';

/** The confidence that stands for no rule: the feature of a rule counts its log-odds from there, divided by 4. */
const least = 1e-4;
const weightsOfRules: Readonly<Partial<Record<FeatureName, number>>> = {
  constant: Math.log(least / (1 - least)),
  bestRule: 4,
  // Tells apart what equally good rules name, and moves nothing else.
  joinedRules: 4e-3,
};

/**
 * What rules alone answer, without a model, schema or neighbours.
 *
 * A link's entities rank by the confidence of the best rule that names them, then by the noisy-or of the best six. Other queries are answered by
 * the plan of mode sets, (10), with the best rule's confidence as the degree of a link; recorded facts have degree 1.
 */
export function createRulesBaseline(facts: KnowledgeGraph, rules: RuleSet): Baseline {
  const relations = new Float64Array(facts.relationCount * featureNames.length);
  for (let at = 0; at < relations.length; at += 1)
    relations[at] = weightsOfRules[featureNames[at % featureNames.length]!] ?? 0;
  const weights: LinkWeights = { temperature: null, typeRelations: [], relations };
  const links = createLinkDegrees({ facts, rules: createRuleIndex(rules), weights });
  const state = { links, facts, logic: createSetLogic('product'), projection: defaultProjection };
  return {
    name: 'rules',
    score: scorerOf(facts.entityCount, async (queries) =>
      (await answerSets(state, queries)).map(({ degrees }) => degrees),
    ),
  };
}
