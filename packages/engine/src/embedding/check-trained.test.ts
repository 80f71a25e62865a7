import { asEntityId, asRelationId } from '@fuzzqe/core';
import { and, entity, not, or, project, type Query } from '@fuzzqe/core/query';
import type { FamilyName } from '@fuzzqe/model';
import { expect, it } from 'vitest';
import { checkTrained } from './check-trained.ts';

const hop = (id: number, relation = 0): Query => project(asRelationId(relation), entity(asEntityId(id)));
const queries = {
  '2i': and(hop(1), hop(2)),
  '2in': and(hop(1), not(hop(2))),
  '2u': or(hop(1), hop(2)),
  'a disjunction that is negated': and(hop(1), not(or(hop(2), hop(3)))),
  'three alternatives': or(hop(1), hop(2), hop(3)),
  'a new entity': hop(10),
  'a new relation': hop(1, 4),
} as const;

it.each<[FamilyName, readonly (keyof typeof queries)[]]>([
  ['bases', ['a new relation']],
  ['gqe', ['2in', 'a disjunction that is negated', 'three alternatives', 'a new entity', 'a new relation']],
  ['betae', ['a disjunction that is negated', 'three alternatives', 'a new entity', 'a new relation']],
  ['betaeDm', ['a new entity', 'a new relation']],
])('%s refuses by name what it does not embed', (relationForm, expected) => {
  const model = { entities: 10, relations: 4, relationForm };
  const refused = Object.entries(queries).filter(([, query]) => {
    try {
      checkTrained([query], model);
      return false;
    } catch (problem) {
      expect(problem).toMatchObject({ code: 'usage', path: '$.mode' });
      return true;
    }
  });
  expect(refused.map(([name]) => name)).toEqual(expected);
});
