import { type KnowledgeGraph, reindexedGraph } from '@fuzzqe/core';
import type { LinkDegrees } from '@fuzzqe/core/sets';
import { featureCount } from './features.ts';
import { type LearnedRelations, learnRelations, onceEach } from './learned-relations.ts';
import { createLinkDegrees, type LinkState } from './link-degrees.ts';
import { createLinkReasons, type LinkReasons } from './link-reasons.ts';

/** The degrees of links, and what speaks for a link and against it. */
export interface GraphLinks {
  readonly links: LinkDegrees;
  reasonsOf(head: number, relation: number, tail: number): LinkReasons;
  /** What relations were learned that came after weights and rules. */
  readonly learned: LearnedRelations;
}

/** What links are judged by, of which reasons are asked for. */
export interface GraphState extends LinkState {
  readonly entailed?: Pick<KnowledgeGraph, 'tails' | 'has'> | undefined;
  /** What was learned before these facts changed. Default: nothing. */
  readonly learned?: LearnedRelations | undefined;
}

/**
 * The links of a graph that may have more relations than its weights and rules.
 *
 * A relation that came later is judged by the facts of now alone, without scores. Its rules and its weights (`fitNewRelation`) are learned when it is first
 * asked for, and anew when its facts have changed.
 * Time of the first link of such a relation: the facts are indexed, and one relation is mined twice in samples. After a change of other facts, the facts are
 * only indexed.
 *
 * @example
 * import { defaultWeights } from '@fuzzqe/evidence';
 * const weights = defaultWeights(graph.relationCount);
 * const { links, reasonsOf } = createGraphLinks({ facts: graph, rules, weights });
 */
export function createGraphLinks(state: GraphState): GraphLinks {
  const { facts, rules, weights, entailed } = state;
  const { typeRelations } = weights;
  const first = weights.relations.length / featureCount;
  const learned = state.learned?.following(facts) ?? learnRelations(facts, first, typeRelations);
  const links = createLinkDegrees(state);
  const reasonsOf = createLinkReasons(facts, rules, weights, entailed);
  if (facts.relationCount <= first) return { links, reasonsOf, learned };
  const laterLinks = onceEach(async (relation) =>
    createLinkDegrees({
      ...{ facts: reindexedGraph(facts), entailed, rules: learned.rulesOf(relation) },
      weights: await learned.weightsOf(relation),
    }),
  );
  const laterReasons = onceEach((relation) =>
    createLinkReasons(reindexedGraph(facts), learned.rulesOf(relation), { typeRelations }, entailed),
  );
  return {
    links: {
      async rows(heads, relations) {
        if (relations.every((relation) => relation < first)) return links.rows(heads, relations);
        const { entityCount } = facts;
        const rows = new Float32Array(heads.length * entityCount);
        const placesOf = new Map<LinkDegrees, number[]>();
        for (const [place, relation] of relations.entries()) {
          const of = relation < first ? links : await laterLinks(relation & ~1);
          placesOf.set(of, [...(placesOf.get(of) ?? []), place]);
        }
        for (const [of, places] of placesOf) {
          const pick = (all: Int32Array): Int32Array => Int32Array.from(places, (place) => all[place]!);
          const found = await of.rows(pick(heads), pick(relations));
          for (const [i, place] of places.entries())
            rows.set(found.subarray(i * entityCount, (i + 1) * entityCount), place * entityCount);
        }
        return rows;
      },
    },
    reasonsOf: (head, relation, tail) =>
      relation < first ? reasonsOf(head, relation, tail) : laterReasons(relation & ~1)(head, relation, tail),
    learned,
  };
}
