import { createKnowledgeGraph, emptyKnowledgeGraph } from '@fuzzqe/core';
import { createVocabulary } from '@fuzzqe/names';
import { expect, it } from 'vitest';
import { exampleQuery } from './example-query.ts';

const named = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, i) => ({ key: `${prefix}${i}`, label: `${prefix}${i}` }));
const vocabulary = createVocabulary({ entities: named('e', 4), relations: named('r', 2) });
const facts = (triples: readonly number[]) =>
  createKnowledgeGraph({ entityCount: 4, relationCount: 4, triples: Int32Array.from(triples) });

it('an example asks what a fact answers, of the relation that is named', () => {
  const graph = { vocabulary, facts: facts([2, 0, 1, 3, 2, 0]) };
  expect(exampleQuery(graph)).toBe('project(r0, e2)');
  expect(exampleQuery(graph, 2)).toBe('project(r1, e3)');
});

it('an example of a bundle without facts asks something all the same', () => {
  const graph = { vocabulary, facts: emptyKnowledgeGraph(4, 4) };
  expect(exampleQuery(graph)).toBe('project(r0, e0)');
  expect(exampleQuery(graph, 2)).toBe('project(r1, e0)');
});
