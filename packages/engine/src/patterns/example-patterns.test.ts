import { createKnowledgeGraph } from '@fuzzqe/core';
import { createVocabulary } from '@fuzzqe/names';
import { expect, it } from 'vitest';
import { examplePatterns } from './example-patterns.ts';

const named = (...keys: readonly string[]) => keys.map((key) => ({ key, label: key }));
const vocabulary = createVocabulary({
  entities: named('Ann', 'Bob', 'Cid', 'Dora', 'Red', 'Blue'),
  relations: named('knows', 'likes'),
});
const examplesOf = (...triples: readonly number[]) => {
  const facts = createKnowledgeGraph({
    entityCount: 6,
    relationCount: 4,
    triples: Int32Array.from(triples),
  });
  return examplePatterns({ vocabulary, facts }).map(({ kind, text }) => [kind, text]);
};
const circle = [0, 0, 1, 1, 0, 2, 2, 0, 0];

it('are of each kind for which the facts have an answer', () => {
  expect(examplesOf(...circle, 0, 2, 4, 1, 2, 4, 2, 2, 5, 3, 2, 5)).toEqual([
    ['pair', '?x, ?y : knows(?x, ?y), likes(?x, ?z), likes(?y, ?z)'],
    ['cycle', '?x, ?y, ?z : knows(?x, ?y), knows(?y, ?z), knows(?z, ?x)'],
    ['not', '?x, ?y : knows(?x, ?y), likes(?x, Red), not likes(?y, Red)'],
  ]);
});

it('are left out where the facts have no answer, or the negation excludes nothing', () => {
  expect(examplesOf(...circle).map(([kind]) => kind)).toEqual(['cycle']);
  // Each likes something of its own.
  expect(examplesOf(0, 0, 1, 1, 0, 2, 0, 2, 4, 1, 2, 5)).toEqual([]);
});
