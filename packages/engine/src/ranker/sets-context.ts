import type { KnowledgeGraph } from '@fuzzqe/core';
import type { LogicName } from '@fuzzqe/core/logic';
import { createAnswerer } from '@fuzzqe/core/query';
import { createSetCache, createSetLogic, type ProjectionSettings, type SetCache } from '@fuzzqe/core/sets';
import {
  createLinkDegrees,
  createLinkReasons,
  createRuleIndex,
  type LinkScores,
  type LinkWeights,
  type RuleSet,
} from '@fuzzqe/evidence';
import { numbersAtOnce, rowsWithin } from '../sessions/rows-within.ts';
import { createExplainer } from '../sets/explainer.ts';
import { createSetsMode } from '../sets/sets-mode.ts';
import type { SetsContext } from './run-requests.ts';

/** The weights that join the evidence of links, and the rules. */
export interface GraphEvidence {
  readonly weights: LinkWeights;
  readonly rules: RuleSet;
}

/** What fuzzy sets follow from. */
export interface SetsSource {
  /** The recorded facts. */
  readonly facts: KnowledgeGraph;
  /** The facts that declared axioms entail; undefined if the graph declares no such axioms. */
  readonly entailed: KnowledgeGraph | undefined;
  readonly evidence: GraphEvidence;
  readonly logic: LogicName;
  readonly projection: ProjectionSettings;
  /** Undefined if no model is there. */
  readonly scores: LinkScores | undefined;
}

/** How much is computed together, and kept. */
export interface SetsLimits {
  /** How many queries one run takes: more is faster per query and needs more memory. Default 32. */
  readonly batchSize?: number;
  /** How many bytes of fuzzy sets of parts of queries are kept for later queries. Default 0: none. */
  readonly cacheBytes?: number;
}

/** What answers requests of fuzzy sets in this thread, with its cache if it keeps one. */
export function createSetsContext(
  { facts, entailed, evidence: { weights, rules: mined }, logic, projection, scores }: SetsSource,
  { batchSize = 32, cacheBytes = 0 }: SetsLimits,
): SetsContext & { readonly cache: SetCache | undefined } {
  const { entityCount } = facts;
  const cacheSize = Math.floor(cacheBytes / (4 * entityCount));
  const cache = cacheSize > 0 ? createSetCache(cacheSize) : undefined;
  const rules = createRuleIndex(mined);
  const links = createLinkDegrees({ facts, entailed, rules, weights, scores });
  const state = { links, logic: createSetLogic(logic), projection, facts };
  return {
    facts,
    batchSize,
    cache,
    answerer: createAnswerer(facts),
    sets: createSetsMode({ ...state, cache }, rowsWithin(numbersAtOnce, entityCount, batchSize)),
    explain: createExplainer(state, createLinkReasons(facts, rules, weights, entailed)),
  };
}
