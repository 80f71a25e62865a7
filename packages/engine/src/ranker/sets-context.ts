import {
  factsAt,
  type IndexedGraph,
  type KnowledgeGraph,
  openChangedGraph,
  openKnowledgeGraph,
  periodAt,
} from '@fuzzqe/core';
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
  type Axiom,
  createLinkDegrees,
  createLinkReasons,
  createRuleIndex,
  entailedBy,
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
import type { OfEpoch } from './ranker.ts';
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
  /** The axioms, by which other facts are entailed at other moments. Default: none. */
  readonly axioms?: readonly Axiom[] | undefined;
  readonly evidence: GraphEvidence;
  readonly logic: LogicName;
  readonly projection: ProjectionSettings;
  /** The scores of a model for a graph that may have more entities and relations than the model, which have these vectors; undefined if no model is there. */
  readonly scoresOf: ((size: GraphSize, vectors: Float32Array | undefined) => LinkScores) | undefined;
  /** Judges the links of a graph that grows; undefined if the graph never grows. */
  readonly growth: Pick<RankerGrowth, 'graphLinks' | 'sets'> | undefined;
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
  /** The context of an epoch, or of the facts that came last; of all facts, or of the facts that hold at a moment. */
  at(which: OfEpoch): SetsContext;
  follow(facts: FactsEpoch): void;
  /** Undefined where no sets are kept. */
  readonly cache: SetCache | undefined;
}

/** Makes what answers requests of fuzzy sets; only what depends on facts is made anew for an epoch. */
export function createSetsContexts(
  {
    facts: opened,
    entailed,
    axioms: openedAxioms,
    evidence,
    logic,
    projection,
    scoresOf,
    growth,
  }: SetsSource,
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
  const contextOf = (
    name: string,
    { facts, entailed: entailedNow }: Pick<SetsSource, 'facts' | 'entailed'>,
    vectors: Float32Array | undefined,
  ): { readonly context: SetsContext; readonly learned: LearnedRelations | undefined } => {
    const scores = scoresOf?.(facts, vectors);
    const graph = { facts, entailed: entailedNow, rules, weights, scores };
    const made = growth?.graphLinks({ ...graph, learned }) ?? linksAsOpened(graph);
    const { links, reasonsOf } = made;
    const state = { links, logic: setLogic, projection, facts };
    const kept = { ...state, cache: cache && cacheNamed(cache, name) };
    const context = {
      facts,
      entailed: entailedNow,
      vectors,
      batchSize,
      answerer: createAnswerer(facts),
      sets: (growth?.sets ?? createSetsMode)(kept, together, arrays, graph),
      patterns: createPatternMode(kept, arrays),
      explain: createExplainer(state, reasonsOf),
    };
    return { context, learned: made.learned };
  };
  /** What answers requests of one epoch, at whichever moment. */
  const make = (
    epoch: number,
    now: Pick<SetsSource, 'facts' | 'entailed' | 'axioms'>,
    vectors: Float32Array | undefined,
  ): ((at?: number) => SetsContext) => {
    const { context, learned: learnedNow } = contextOf(`${epoch}`, now, vectors);
    learned = learnedNow;
    const { facts, axioms = [] } = now;
    const { validity } = facts;
    if (validity === undefined) return () => context;
    /** By the periods in which the same facts hold; that which was asked last stands last. */
    const periods = new Map<number, SetsContext>();
    return (at) => {
      if (at === undefined) return context;
      const period = periodAt(validity, at);
      let found = periods.get(period);
      if (found === undefined) {
        const then = factsAt(facts, at);
        const whole = { facts: then, entailed: axioms.length === 0 ? undefined : entailedBy(then, axioms) };
        found = contextOf(`${epoch} at ${period}`, whole, vectors).context;
      }
      periods.delete(period);
      periods.set(period, found);
      if (periods.size > mostPeriods) periods.delete(periods.keys().next().value!);
      return found;
    };
  };
  let base: IndexedGraph = opened;
  let grownTimes = 0;
  let latest = make(0, { facts: opened, entailed, axioms: openedAxioms }, undefined);
  const kept = new Map([[0, latest]]);
  return {
    cache,
    at: ({ epoch, at }) => ((epoch === undefined ? undefined : kept.get(epoch)) ?? latest)(at),
    follow({
      epoch,
      oldest,
      keepsOpened = false,
      entailed: now,
      axioms,
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
      const facts = openChangedGraph(base, rows);
      latest = make(epoch, { facts, entailed: now && openKnowledgeGraph(now), axioms }, vectors);
      for (const each of kept.keys()) if (each < oldest && !(keepsOpened && each === 0)) kept.delete(each);
      kept.set(epoch, latest);
    },
  };
}

/** In how many periods of an epoch facts are kept that held then. */
const mostPeriods = 4;

/** The links of a graph that has the relations of its weights and rules. */
function linksAsOpened(graph: GraphState): Omit<GraphLinks, 'learned'> & { readonly learned: undefined } {
  const { facts, rules, weights, entailed } = graph;
  return {
    links: createLinkDegrees(graph),
    reasonsOf: createLinkReasons(facts, rules, weights, entailed),
    learned: undefined,
  };
}

/** A cache that finds no set of other facts; sets of other facts leave the cache like any set without requests. */
function cacheNamed(cache: SetCache, name: string): SetCache {
  return {
    get hits() {
      return cache.hits;
    },
    get misses() {
      return cache.misses;
    },
    get: (key) => cache.get(`${name} ${key}`),
    put: (key, set) => cache.put(`${name} ${key}`, set),
  };
}
