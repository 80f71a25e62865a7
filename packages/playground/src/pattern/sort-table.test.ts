import { asEntityId } from '@fuzzqe/core';
import type { PatternAnswer, PatternRow } from '@fuzzqe/engine';
import { expect, it } from 'vitest';
import { bestFirst, sortedBy, sortTable } from './sort-table.ts';
import { writeTable } from './write-table.ts';

const row = (degree: number, ...labels: readonly string[]): PatternRow => ({
  entities: labels.map((label, i) => ({ id: asEntityId(i), key: label, label })),
  state: 'predicted',
  degree,
  others: {},
});
const answer: PatternAnswer = {
  columns: ['x', 'y'],
  rows: [row(0.9, 'item 10', 'b'), row(0.8, 'item 9', 'a'), row(0.7, 'Item 1', 'b')],
  suggestions: [row(0.2, 'z', 'a'), row(0.1, 'a', 'b')],
  exact: true,
  unseen: 0,
  warnings: [],
  plan: { kind: 'search', variables: [], links: 0 },
};
const first = ({ rows, suggestions }: PatternAnswer): unknown[] =>
  [...rows, ...suggestions].map(({ entities }) => entities[0]!.label);

it('sorts by the labels of a column and by degrees, suggestions by themselves', () => {
  expect(first(sortTable(answer, bestFirst))).toEqual(first(answer));
  const byLabel = sortedBy(0, bestFirst);
  expect(first(sortTable(answer, byLabel))).toEqual(['Item 1', 'item 9', 'item 10', 'a', 'z']);
  expect(first(sortTable(answer, sortedBy(0, byLabel)))).toEqual(['item 10', 'item 9', 'Item 1', 'z', 'a']);
  // The rows with the same label stay in their order.
  const bySecond = sortTable(answer, sortedBy(1, byLabel));
  expect(first(bySecond)).toEqual(['item 9', 'item 10', 'Item 1', 'z', 'a']);
  expect(sortedBy('degree', byLabel)).toEqual(bestFirst);
  expect(first(sortTable(answer, sortedBy('degree', bestFirst)))[0]).toBe('Item 1');
  expect(writeTable(bySecond).split('\r\n')[1]).toBe('answer,item 9,item 9,a,a,0.8,predicted');
});
