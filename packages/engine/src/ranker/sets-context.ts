import { type IndexedGraph, type KnowledgeGraph, openChangedGraph, openKnowledgeGraph } from '@fuzzqe/core';
import type { LogicName } from '@fuzzqe/core/logic';
import { createAnswerer } from '@fuzzqe/core/query';
import {
  createArrayPool,
  createSetCache,
  createSetLogic,
  type ProjectionSettings,
  type SetCache,
} from '@fuzzqe/core/sets';
import {
  createLinkDegrees,
  createLinkReasons,
  createRuleIndex,
  type GraphLinks,
  type GraphState,
  type LearnedRelations,
  type LinkScores,
  type LinkWeights,
  type RuleSet,
} from '@fuzzqe/evidence';
import { numbersAtOnce, rowsWithin } from '../sessions/rows-within.ts';
import { createExplainer } from '../sets/explainer.ts';
import type { GraphSize } from '../sets/grown-link-scores.ts';
import { createPatternMode } from '../sets/pattern-mode.ts';
import { createSetsMode, mostKept } from '../sets/sets-mode.ts';
import type { FactsEpoch } from './facts-epoch.ts';
import type { RankerGrowth } from './ranker-growth.ts';
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
  /** The scores of a model for a graph that may have more entities and relations than the model, which have these vectors; undefined if no model is there. */
  readonly scoresOf: ((size: GraphSize, vectors: Float32Array | undefined) => LinkScores) | undefined;
  /** Judges the links of a graph that grows; undefined if the graph never grows. */
  readonly growth: Pick<RankerGrowth, 'graphLinks'> | undefined;
}

/** How much is computed together, and kept. */
export interface SetsLimits {
  /** How many queries one run takes: more is faster per query and needs more memory. Default 32. */
  readonly batchSize?: number;
  /** How many bytes of fuzzy sets of parts of queries are kept for later queries. Default 0: none. */
  readonly cacheBytes?: number;
}

/** What answers requests of fuzzy sets in this thread, by the facts of each epoch that is kept. */
export interface SetsContexts {
  /** That of an epoch, or of the facts that came last. */
  at(epoch?: number): SetsContext;
  follow(facts: FactsEpoch): void;
  /** Undefined where no sets are kept. */
  readonly cache: SetCache | undefined;
}

/** Makes what answers requests of fuzzy sets; only what depends on facts is made anew for an epoch. */
export function createSetsContexts(
  { facts: opened, entailed, evidence, logic, projection, scoresOf, growth }: SetsSource,
  { batchSize = 32, cacheBytes = 0 }: SetsLimits,
): SetsContexts {
  const { entityCount } = opened;
  const { weights, rules: mined } = evidence;
  const cacheSize = Math.floor(cacheBytes / (4 * entityCount));
  const cache = cacheSize > 0 ? createSetCache(cacheSize) : undefined;
  const rules = createRuleIndex(mined);
  const setLogic = createSetLogic(logic);
  const arrays = createArrayPool(mostKept);
  const together = rowsWithin(numbersAtOnce, entityCount, batchSize);
  /** Of the epoch that came last: each follows the epoch before. */
  let learned: LearnedRelations | undefined;
  const make = (
    epoch: number,
    facts: KnowledgeGraph,
    entailedNow: KnowledgeGraph | undefined,
    vectors: Float32Array | undefined,
  ): SetsContext => {
    const scores = scoresOf?.(facts, vectors);
    const graph = { facts, entailed: entailedNow, rules, weights, scores };
    const made = growth?.graphLinks({ ...graph, learned }) ?? linksAsOpened(graph);
    const { links, reasonsOf } = made;
    ({ learned } = made);
    const state = { links, logic: setLogic, projection, facts };
    const kept = { ...state, cache: cache && cacheOfEpoch(cache, epoch) };
    return {
      facts,
      vectors,
      batchSize,
      answerer: createAnswerer(facts),
      sets: createSetsMode(kept, together, arrays),
      patterns: createPatternMode(kept, arrays),
      explain: createExplainer(state, reasonsOf),
    };
  };
  let base: IndexedGraph = opened;
  let grownTimes = 0;
  let latest = make(0, opened, entailed, undefined);
  const epochs = new Map([[0, latest]]);
  return {
    cache,
    at: (epoch) => (epoch === undefined ? latest : (epochs.get(epoch) ?? latest)),
    follow({
      epoch,
      oldest,
      keepsOpened = false,
      entailed: now,
      grown,
      vectors,
      entityCount,
      relationCount,
      ...rows
    }) {
      // A message makes an index new, and what follows from an index is kept by it.
      if (grown !== undefined && grown.times !== grownTimes) base = { ...base, index: grown.index };
      grownTimes = grown?.times ?? 0;
      base = { entityCount, relationCount, index: base.index };
      latest = make(epoch, openChangedGraph(base, rows), now && openKnowledgeGraph(now), vectors);
      for (const each of epochs.keys())
        if (each < oldest && !(keepsOpened && each === 0)) epochs.delete(each);
      epochs.set(epoch, latest);
    },
  };
}

/** The links of a graph that has the relations of its weights and rules. */
function linksAsOpened(graph: GraphState): Omit<GraphLinks, 'learned'> & { readonly learned: undefined } {
  const { facts, rules, weights, entailed } = graph;
  return {
    links: createLinkDegrees(graph),
    reasonsOf: createLinkReasons(facts, rules, weights, entailed),
    learned: undefined,
  };
}

/** A cache in which sets of other epochs are not found; they leave it as all sets do that nobody asks for. */
function cacheOfEpoch(cache: SetCache, epoch: number): SetCache {
  return {
    get hits() {
      return cache.hits;
    },
    get misses() {
      return cache.misses;
    },
    get: (key) => cache.get(`${epoch} ${key}`),
    put: (key, set) => cache.put(`${epoch} ${key}`, set),
  };
}
