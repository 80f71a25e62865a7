import { type KnowledgeGraph, reindexedGraph } from '@fuzzqe/core';
import type { LinkDegrees } from '@fuzzqe/core/sets';
import { mineNewRelation } from '../mining/mine-new-relation.ts';
import { createRuleIndex, type RuleIndex } from '../rules/rule-index.ts';
import { featureCount } from './features.ts';
import { fitNewRelation } from './fit-new-relation.ts';
import { createLinkDegrees, type LinkState } from './link-degrees.ts';
import { createLinkReasons, type LinkReasons } from './link-reasons.ts';

/** The degrees of links, and what speaks for a link and against it. */
export interface GraphLinks {
  readonly links: LinkDegrees;
  reasonsOf(head: number, relation: number, tail: number): LinkReasons;
}

/** What links are judged by, of which reasons are asked for. */
export interface GraphState extends LinkState {
  readonly entailed?: Pick<KnowledgeGraph, 'tails' | 'has'> | undefined;
}

/**
 * The links of a graph that may have more relations than its weights and rules.
 *
 * A relation that came later is judged by the facts of now alone, without scores: its rules and its weights (`fitNewRelation`) are made from them when it is
 * first asked for, and so are the statistics of its heads and tails.
 * Time of the first link of such a relation: the facts are indexed twice, and one relation is mined twice in samples.
 *
 * @example
 * const { links, reasonsOf } = createGraphLinks({ facts, rules, weights });
 */
export function createGraphLinks(state: GraphState): GraphLinks {
  const { facts, rules, weights, entailed } = state;
  const { typeRelations } = weights;
  const first = weights.relations.length / featureCount;
  const known: GraphLinks = {
    links: createLinkDegrees(state),
    reasonsOf: createLinkReasons(facts, rules, weights, entailed),
  };
  if (facts.relationCount <= first) return known;
  let indexed: KnowledgeGraph | undefined;
  const indexedFacts = (): KnowledgeGraph => {
    indexed ??= reindexedGraph(facts);
    return indexed;
  };
  const rulesOf = kept((pair): RuleIndex => createRuleIndex(mineNewRelation(indexedFacts(), pair)));
  const reasonsOf = kept((pair) =>
    createLinkReasons(indexedFacts(), rulesOf(pair), { typeRelations }, entailed),
  );
  const linksOf = kept(async (pair) =>
    createLinkDegrees({
      ...{ facts: indexedFacts(), entailed, rules: rulesOf(pair) },
      weights: await fitNewRelation(indexedFacts(), pair, typeRelations),
    }),
  );
  return {
    links: {
      async rows(heads, relations) {
        if (relations.every((relation) => relation < first)) return known.links.rows(heads, relations);
        const { entityCount } = facts;
        const rows = new Float32Array(heads.length * entityCount);
        const byLinks = new Map<LinkDegrees, number[]>();
        for (const [place, relation] of relations.entries()) {
          const links = relation < first ? known.links : await linksOf(relation & ~1);
          byLinks.set(links, [...(byLinks.get(links) ?? []), place]);
        }
        for (const [links, places] of byLinks) {
          const pick = (of: Int32Array): Int32Array => Int32Array.from(places, (place) => of[place]!);
          const found = await links.rows(pick(heads), pick(relations));
          for (const [i, place] of places.entries())
            rows.set(found.subarray(i * entityCount, (i + 1) * entityCount), place * entityCount);
        }
        return rows;
      },
    },
    reasonsOf: (head, relation, tail) =>
      relation < first
        ? known.reasonsOf(head, relation, tail)
        : reasonsOf(relation & ~1)(head, relation, tail),
  };
}

/** What is made once for each relation 2k. */
function kept<Made>(make: (pair: number) => Made): (pair: number) => Made {
  const all = new Map<number, Made>();
  return (pair) => {
    const made = all.get(pair) ?? make(pair);
    all.set(pair, made);
    return made;
  };
}
