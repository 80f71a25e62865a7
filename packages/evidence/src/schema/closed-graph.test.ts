import { createVocabulary } from '@fuzzqe/names';
import { describe, expect, it } from 'vitest';
import { closedGraph, entailedGraph, factsBeyond } from '../index.ts';
import { graphOf } from '../testing/graph-of.ts';

const named = (keys: readonly string[]) => keys.map((key) => ({ key, label: key }));
const facts = graphOf([
  [0, 0, 1],
  [3, 2, 2],
]);
const entities = named(['Ann', 'Bob', 'owl:SymmetricProperty', 'meets']);
const declared = createVocabulary({ entities, relations: named(['meets', 'rdf:type']) });

describe('a closed graph', () => {
  it('has the recorded facts and those that axioms entail', () => {
    const closed = closedGraph(facts, entailedGraph(facts, declared));
    expect(closed.edgeCount).toBe(facts.edgeCount + 2);
    expect(closed.has(0, 0, 1)).toBe(true);
    expect(closed.has(1, 0, 0)).toBe(true);
    expect([...factsBeyond(closed, facts)]).toEqual([1, 0, 0]);
    expect(factsBeyond(facts, closed)).toHaveLength(0);
  });

  it('is the graph itself where nothing is declared', () => {
    const others = createVocabulary({ entities, relations: named(['meets', 'is']) });
    expect(closedGraph(facts, entailedGraph(facts, others))).toBe(facts);
  });
});
