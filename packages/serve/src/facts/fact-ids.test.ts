import { createKnowledgeGraph } from '@fuzzqe/core';
import { createVocabulary } from '@fuzzqe/names';
import { expect, it } from 'vitest';
import { createNetIds } from './fact-ids.ts';

const named = (...keys: readonly string[]) => keys.map((key) => ({ key, label: key }));
const vocabulary = createVocabulary({ entities: named('a', 'b', '<c>'), relations: named('r', 's') });
const graph = createKnowledgeGraph({ entityCount: 3, relationCount: 4, triples: Int32Array.of(0, 2, 1) });

it.each([
  ['have exact numbers', 3],
  ['have none', 100_000_000],
])('net changes of a graph whose facts %s are the last of each fact', (_, entityCount) => {
  const net = createNetIds({
    vocabulary,
    facts: Object.create(graph, { entityCount: { value: entityCount } }),
  });
  const change = (does: 'add' | 'remove', head: string, relation: string, tail: string) => ({
    does,
    head,
    relation,
    tail,
  });
  net.take([change('add', '<c>', 's', 'b'), change('add', 'b', 'r', 'a')]);
  net.take([change('remove', 'b', 'r', 'a'), change('remove', 'a', 's', 'b')]);
  expect(net.size).toBe(3);
  expect(net.end()).toEqual({
    added: Int32Array.of(2, 2, 1),
    removed: Int32Array.of(1, 0, 0, 0, 2, 1),
  });
  expect(net.size).toBe(0);
});
