import { createKnowledgeGraph } from '@fuzzqe/core';
import { createVocabulary } from '@fuzzqe/names';
import { expect, it } from 'vitest';
import type { FactChange } from '../store/fact-store.ts';
import { createNetIds } from './fact-ids.ts';

const named = (...keys: readonly string[]) => keys.map((key) => ({ key, label: key }));
const vocabulary = createVocabulary({ entities: named('a', 'b', '<c>'), relations: named('r', 's') });
const graph = createKnowledgeGraph({ entityCount: 3, relationCount: 4, triples: Int32Array.of(0, 2, 1) });

it.each([
  ['have exact numbers', 3],
  ['have none', 100_000_000],
])('net changes of a graph whose facts %s are the last of each fact', (_, entityCount) => {
  const noted: string[] = [];
  const engine = { vocabulary, facts: Object.create(graph, { entityCount: { value: entityCount } }) };
  const net = createNetIds(engine, {
    take: (fact, { does }, { by }) => noted.push(`${does} ${fact} ${by}`),
  });
  const batchOf = (...changes: readonly FactChange[]) => ({ at: '', by: 'ann', changes });
  const change = (does: 'add' | 'remove', head: string, relation: string, tail: string): FactChange => ({
    does,
    head,
    relation,
    tail,
  });
  net.take(batchOf(change('add', '<c>', 's', 'b'), change('add', 'b', 'r', 'a')));
  net.take(batchOf(change('remove', 'b', 'r', 'a'), change('remove', 'a', 's', 'b')));
  expect(net.size).toBe(3);
  expect(noted).toHaveLength(4);
  expect(new Set(noted).size).toBe(4);
  expect(noted[0]).toBe('add 2,2,1 ann');
  expect(net.end()).toEqual({
    added: Int32Array.of(2, 2, 1),
    removed: Int32Array.of(1, 0, 0, 0, 2, 1),
  });
  expect(net.size).toBe(0);
});
