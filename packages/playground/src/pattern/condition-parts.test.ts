import { asEntityId, asRelationId } from '@fuzzqe/core';
import type { ConditionSupport, PatternRow } from '@fuzzqe/engine';
import { expect, it } from 'vitest';
import { conditionParts } from './condition-parts.ts';

const named = (id: number) => ({ id: asEntityId(id), key: `e${id}`, label: `Entity ${id}` });
const relation = (id: number) => ({
  id: asRelationId(id),
  key: `r${id}`,
  label: `relation ${id >> 1}`,
  inverse: id % 2 === 1,
});
type Step = ConditionSupport['derivation'];
const link = (from: number, by: number, to: number, degree = 1): Step => ({
  op: 'project',
  entity: named(to),
  degree,
  link: { head: named(from), relation: relation(by), recorded: degree === 1, degree },
  from: { op: 'entity', entity: named(from), degree: 1 },
});
const not = (operand: Step): Step => ({
  op: 'not',
  entity: operand.entity,
  degree: 1 - operand.degree,
  operand,
});
const row = (...derivations: readonly Step[]): PatternRow => ({
  entities: [named(1), named(2)],
  state: 'partly',
  degree: 0.5,
  others: { z: named(3) },
  because: derivations.map((derivation) => ({ variable: '', derivation, links: [] })),
});
const parts = (of: PatternRow) =>
  conditionParts(of, ['x', 'y']).map(({ words, degree, kind }) => [words, degree, kind]);

it('say how far each condition holds, in the variables of the pattern, each once', () => {
  expect(
    parts(row(link(1, 0, 2), link(2, 1, 3, 0.5), link(1, 0, 2), { ...link(3, 2, 9), op: 'project' })),
  ).toEqual([
    ['?x relation 0 ?y', 1, 'recorded'],
    ['?z relation 0 ?y', 0.5, 'predicted'],
    ['?z relation 1 Entity 9', 1, 'recorded'],
  ]);
});

it('take a conjunction apart, and say what a negation doubts', () => {
  const nothing: Step = { op: 'project', entity: named(2), degree: 0 };
  const whole: Step = {
    op: 'and',
    entity: named(1),
    degree: 0.75,
    operands: [link(9, 0, 1), not(link(8, 0, 1, 0.25)), not(nothing)],
  };
  expect(parts(row(whole))).toEqual([
    ['Entity 9 relation 0 ?x', 1, 'recorded'],
    ['not Entity 8 relation 0 ?x', 0.75, 'doubted'],
    ['nothing excludes ?y', 1, 'recorded'],
  ]);
});

it('say a chain and a choice of links as one condition', () => {
  const chain: Step = {
    op: 'project',
    entity: named(2),
    degree: 0.5,
    link: { head: named(9), relation: relation(2), recorded: false, degree: 0.5 },
    from: link(1, 0, 9),
  };
  const choice: Step = { op: 'or', entity: named(1), degree: 1, operands: [link(8, 0, 1), link(9, 0, 1)] };
  expect(parts(row(chain, choice))).toEqual([
    ['?x relation 0 Entity 9, Entity 9 relation 1 ?y', 0.5, 'partly'],
    ['Entity 8 relation 0 ?x or Entity 9 relation 0 ?x', 1, 'recorded'],
  ]);
});
