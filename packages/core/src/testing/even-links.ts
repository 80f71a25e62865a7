import type { KnowledgeGraph, Random } from '../index.ts';
import { type StandInLinks, standInLinks } from './stand-in-links.ts';

/** Stands in for links that have one degree in both directions, so that it does not matter from which end a link is read. */
export function evenLinks(facts: KnowledgeGraph, random: Random): StandInLinks {
  const { degree, calls } = standInLinks(facts, random);
  const even = (head: number, relation: number, tail: number): number =>
    relation % 2 === 0 ? degree(head, relation, tail) : degree(tail, relation - 1, head);
  return {
    calls,
    degree: even,
    async rows(heads, relations) {
      calls.push(heads.length);
      return Float32Array.from({ length: heads.length * facts.entityCount }, (_, at) => {
        const row = Math.floor(at / facts.entityCount);
        return even(heads[row]!, relations[row]!, at % facts.entityCount);
      });
    },
  };
}
