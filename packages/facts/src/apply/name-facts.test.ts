import { createVocabulary } from '@fuzzqe/names';
import { expect, it } from 'vitest';
import { type NamedChange, nameNewFacts } from './name-facts.ts';

const vocabulary = createVocabulary({
  entities: [
    { key: 'Q1', label: 'Ann' },
    { key: 'Q2', label: 'Bob' },
    { key: 'Q3', label: 'Bob' },
  ],
  relations: [{ key: 'P1', label: 'likes' }],
});
const add = (head: string, relation: string, tail: string): NamedChange => ({
  ...{ does: 'add', head, relation, tail },
  place: '$',
});

it('new facts take the ids and labels of the graph, and other names as new keys', () => {
  expect(nameNewFacts(vocabulary, [add('#0', 'likes^-1', 'Fay'), add('<Gus>', 'knows', 'ann')])).toEqual({
    facts: [
      { does: 'add', head: 'Fay', relation: 'P1', tail: 'Q1' },
      { does: 'add', head: 'Gus', relation: 'knows', tail: 'Q1' },
    ],
    creates: { entities: ['Fay', 'Gus'], relations: ['knows'] },
  });
});

it('of several changes of a new fact, only the last is left', () => {
  const facts = [add('Fay', 'likes', 'Ann'), { ...add('Q1', 'likes^-1', 'Fay'), source: 'atlas' }];
  expect(nameNewFacts(vocabulary, facts).facts).toEqual([
    { does: 'add', head: 'Fay', relation: 'P1', tail: 'Q1', source: 'atlas' },
  ]);
});

it.each([
  ['a label that two entities share', add('Bob', 'likes', 'Fay')],
  ['an id that no entity has', add('#3', 'likes', 'Fay')],
  ['a new name in a removal', { ...add('Fay', 'likes', 'Ann'), does: 'remove' } as const],
])('%s is refused with all other bad changes', (_, bad) => {
  const changes = [add('Fay', 'likes', 'Gus'), { ...bad, place: 'line 2' }, { ...bad, place: 'line 3' }];
  expect(() => nameNewFacts(vocabulary, changes)).toThrow(/2 bad changes[\s\S]*line 2: [\s\S]*line 3: /);
});
