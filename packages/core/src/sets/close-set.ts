import { confidenceOf } from '../kg/fact-confidences.ts';
import type { KnowledgeGraph } from '../kg/knowledge-graph.ts';
import { type Arrays, newArrays } from './arrays.ts';
import { createScalarJoin } from './scalar-join.ts';
import type { SetLogic } from './set-logic.ts';

/**
 * Everything that recorded facts of a relation lead to from the members of a set, in any number of steps; the members themselves need no step.
 *
 * `C_r(S)(e) = max over chains m → … → e of S(m) ∧ the degrees of the facts on the way`.
 *
 * Shapes: [|E|] → [|E|] in [0, 1].
 */
export function closeSet(
  { and }: Pick<SetLogic, 'and'>,
  facts: Pick<KnowledgeGraph, 'headsOf' | 'tails' | 'confidences' | 'entityCount'>,
  set: Float32Array,
  relation: number,
  arrays: Arrays = newArrays,
): Float32Array {
  const both = createScalarJoin(and);
  const closed = arrays.take(facts.entityCount);
  closed.set(set);
  // The highest first: what a start reaches has its degree, unless a fact on the way is less than certain.
  const starts = [...facts.headsOf(relation)].filter((head) => set[head]! > 0);
  starts.sort((a, b) => set[b]! - set[a]!);
  for (const start of starts) {
    const open = [start];
    for (let head = open.pop(); head !== undefined; head = open.pop()) {
      const degree = closed[head]!;
      for (const tail of facts.tails(head, relation)) {
        const reached = both(degree, confidenceOf(facts.confidences, head, relation, tail));
        if (reached <= closed[tail]!) continue;
        closed[tail] = reached;
        open.push(tail);
      }
    }
  }
  return closed;
}
