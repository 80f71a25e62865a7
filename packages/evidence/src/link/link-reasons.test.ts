import { createKnowledgeGraph } from '@fuzzqe/core';
import { expect, it } from 'vitest';
import { createRuleIndex } from '../rules/rule-index.ts';
import type { Rule } from '../rules/rule-set.ts';
import { createLinkReasons } from './link-reasons.ts';

const [born, lives, married] = [0, 2, 4];
/** Thirty people who were born in a town each, in one of three; all live somewhere, two are married. */
const triples = [
  ...Array.from({ length: 30 }, (_, i) => [i, born, 40 + (i % 3)]),
  ...Array.from({ length: 29 }, (_, i) => [i, lives, 50 + (i % 3)]),
  [29, lives, 50],
  [0, married, 1],
  [2, married, 3],
  [7, lives, 51],
];
const facts = createKnowledgeGraph({
  entityCount: 60,
  relationCount: 6,
  triples: Int32Array.from(triples.flat()),
});
const rules: Rule[] = [
  { kind: 'path', relation: married, path: [married + 1], hits: 8, predictions: 10 },
  { kind: 'path', relation: lives, path: [married, lives], hits: 4, predictions: 9 },
  {
    kind: 'constant',
    relation: lives,
    tail: 51,
    body: { relation: born, tail: 40 },
    hits: 9,
    predictions: 10,
  },
];
const reasons = createLinkReasons(facts, createRuleIndex({ relationCount: 6, rules }));

it('names the rules that name the tail, best first, with facts that let them', () => {
  const { rules: found } = reasons(0, lives, 51);
  expect(found.map(({ entities }) => entities)).toEqual([
    [0, 40],
    [0, 1, 51],
  ]);
  expect(found[0]!.rule).toEqual(rules[2]);
  expect(found[0]!.confidence).toBeCloseTo(9 / 15, 12);
  expect(reasons(5, lives, 51).rules).toEqual([]);
});

it('names the heads that are most similar and have the tail recorded', () => {
  // 0 was born in 40, as 3, 6, 9 and others; who of them lives at 50 is recorded.
  const { neighbours } = reasons(0, lives, 50);
  expect(neighbours.length).toBe(3);
  for (const head of neighbours) expect(facts.has(head, lives, 50)).toBe(true);
  expect(neighbours).not.toContain(0);
});

it('says what speaks against a link: another tail, another head, a tail of an unusual kind', () => {
  const kinds = (head: number, relation: number, tail: number): string[] =>
    reasons(head, relation, tail).against.map(({ kind }) => kind);
  // Of thirty people nobody was born in two towns.
  const [first] = reasons(4, born, 42).against;
  expect(first).toEqual({ kind: 'other tail', entities: [41], share: 1 / 31 });
  expect(kinds(4, born, 42)).toEqual(['other tail']);
  expect(kinds(4, born, 20)).toEqual(['other tail', 'unusual tail']);
  // A town has many who were born there.
  expect(kinds(41, born + 1, 29)).toEqual(['other head']);
  // Of three who live somewhere one has two homes.
  expect(reasons(7, lives, 52).against.map(({ kind }) => kind)).not.toContain('unusual tail');
  expect(kinds(50, born, 42)).toEqual([]);
});
