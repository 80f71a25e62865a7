import type { KnowledgeGraph, Random } from '@fuzzqe/core';
import { nameOfTerm, type PatternAtom, type PatternType, variablesOf } from './pattern-type.ts';

/** Fills the slots of a type such that an entity answers the pattern without its negations, and every negation excludes that assignment. */
export interface PatternWalk {
  /** The slots of the last walk that succeeded: overwritten by the next one. */
  readonly anchors: Int32Array;
  readonly relations: Int32Array;
  /** Walks from an answer; false where the walk came to a place that no allowed edge leaves. */
  from(answer: number): boolean;
}

/**
 * Walks from the answer to the anchors of a pattern, over the edges of a graph.
 *
 * An atom with one end without a value draws a relation of the other end, then an entity. An atom between two values draws a relation that
 * leads from the first value to the second; a relation is drawn once between the same terms. Negated atoms are drawn like other atoms.
 */
export function createPatternWalk(graph: KnowledgeGraph, type: PatternType, random: Random): PatternWalk {
  const anchors = new Int32Array(type.anchors);
  const relations = new Int32Array(type.relations);
  const order = orderOf(type);
  const values = new Map<string, number>();
  let drawn: PatternAtom[] = [];
  const drawOf = (ids: ArrayLike<number>): number => ids[random.below(ids.length)]!;

  const fill = ({ relation, from, to }: PatternAtom): boolean => {
    const [head, tail] = [values.get(nameOfTerm(from)), values.get(nameOfTerm(to))];
    const known = head ?? tail!;
    // Read from the end that has a value: away from the tail, a relation is stored as its inverse.
    const turned = head === undefined ? 1 : 0;
    let leaving: ArrayLike<number> = graph.relationsOf(known);
    if (head !== undefined && tail !== undefined) {
      const between: number[] = [];
      for (let i = 0; i < leaving.length; i += 1)
        if (graph.has(head, leaving[i]!, tail)) between.push(leaving[i]!);
      // Most walks end here.
      if (between.length === 0) return false;
      const isTaken = (each: number): boolean =>
        drawn.some(
          (other) =>
            relations[other.relation] === each &&
            nameOfTerm(other.from) === nameOfTerm(from) &&
            nameOfTerm(other.to) === nameOfTerm(to),
        );
      leaving = between.filter((each) => !isTaken(each));
    }
    if (leaving.length === 0) return false;
    const stored = drawOf(leaving);
    relations[relation] = stored ^ turned;
    if (head === undefined || tail === undefined) {
      const [end, other] = [head === undefined ? from : to, drawOf(graph.tails(known, stored))];
      values.set(nameOfTerm(end), other);
      if ('entity' in end) anchors[end.entity] = other;
    }
    return true;
  };
  return {
    anchors,
    relations,
    from(answer) {
      values.clear();
      drawn = [];
      values.set('?0', answer);
      return order.every((atom) => fill(atom) && drawn.push(atom) > 0);
    },
  };
}

/** From the answer on: first what lies between two values, then links to further variables, then links to anchors. */
function orderOf({ atoms }: PatternType): PatternAtom[] {
  const bound = new Set<number>([0]);
  const open = [...atoms];
  const order: PatternAtom[] = [];
  while (open.length > 0) {
    const rank = (atom: PatternAtom): number => {
      const variables = variablesOf(atom);
      const known = variables.filter((variable) => bound.has(variable)).length;
      if (known === 0) return 0;
      if (variables.length === 2 && known === 2) return 4;
      if (variables.length === 2) return atom.negated ? 2 : 3;
      return 1;
    };
    const next = open.reduce((best, each) => (rank(each) > rank(best) ? each : best));
    open.splice(open.indexOf(next), 1);
    for (const variable of variablesOf(next)) bound.add(variable);
    order.push(next);
  }
  return order;
}
