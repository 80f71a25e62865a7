import { createKnowledgeGraph } from '@fuzzqe/core';
import { expect, it } from 'vitest';
import type { Axiom } from './axiom.ts';
import { linkConflicts } from './link-conflicts.ts';

/** Relation 0 has one tail of each of six heads, and one tail that two heads share; relation 2 has one fact. */
const triples = [0, 1, 2, 3, 4].flatMap((head) => [head, 0, head + 10]);
const facts = createKnowledgeGraph({
  entityCount: 20,
  relationCount: 4,
  triples: Int32Array.of(...triples, 5, 0, 10, 6, 2, 7, 8, 2, 8),
});

it('a second tail conflicts where nearly every head has one tail, and a second head where nearly every tail has one head', () => {
  const [second, ...others] = linkConflicts(facts, [], [0, 0, 15]);
  expect(second).toMatchObject({ kind: 'secondTail', other: 10, observed: { hits: 6, of: 6 } });
  expect(others).toEqual([]);
  // Four of five tails have one head.
  const heads = linkConflicts(facts, [], [9, 0, 12]);
  expect(heads).toMatchObject([{ kind: 'secondHead', other: 2, observed: { hits: 4, of: 5 } }]);
  // The fact itself is no second value, and a free head and tail have none.
  expect(linkConflicts(facts, [], [1, 0, 11])).toEqual([]);
  expect(linkConflicts(facts, [], [9, 0, 19])).toEqual([]);
  // Two facts show nothing of a relation.
  expect(linkConflicts(facts, [], [6, 2, 9])).toEqual([]);
});

it('declared axioms conflict whatever the facts show, and of their relation alone', () => {
  const declared = (kind: 'functional' | 'inverseFunctional' | 'asymmetric' | 'irreflexive'): Axiom[] => [
    { kind, relation: 2 },
  ];
  expect(linkConflicts(facts, declared('functional'), [6, 2, 9])).toEqual([
    { kind: 'secondTail', other: 7, observed: undefined },
  ]);
  expect(linkConflicts(facts, declared('inverseFunctional'), [9, 2, 7])).toEqual([
    { kind: 'secondHead', other: 6, observed: undefined },
  ]);
  expect(linkConflicts(facts, declared('asymmetric'), [7, 2, 6])).toEqual([{ kind: 'opposite' }]);
  expect(linkConflicts(facts, declared('irreflexive'), [9, 2, 9])).toEqual([
    { kind: 'selfLoop', isDeclared: true },
  ]);
  // Relation 2 has a self loop, relation 0 has none.
  expect(linkConflicts(facts, [], [9, 2, 9])).toEqual([]);
  expect(linkConflicts(facts, [], [9, 0, 9])).toEqual([{ kind: 'selfLoop', isDeclared: false }]);
});
