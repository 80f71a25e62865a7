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
  '4i': and(hop(1), hop(2), hop(3), hop(4)),
  'a disjunction that is negated': and(hop(1), not(or(hop(2), hop(3)))),
  'three alternatives': or(hop(1), hop(2), hop(3)),
  'a new entity': hop(10),
  'a new relation': hop(1, 4),
} as const;

type Refused = Partial<Record<keyof typeof queries, string>>;
const later = { 'a new entity': 'new entity', 'a new relation': 'new relation' };
const shapes = {
  '4i': 'such structure',
  'a disjunction that is negated': 'such structure',
  'three alternatives': 'such structure',
};

it.each<[FamilyName, Refused]>([
  ['bases', { 'a new relation': 'new relation' }],
  ['gqe', { '2in': '¬', ...shapes, ...later }],
  ['gqeDeepSets', { '2in': '¬', ...shapes, ...later }],
  ['betae', { ...shapes, ...later }],
  ['betaeDm', later],
  [
    'complex',
    { '2i': 'such structure', '2in': 'such structure', '2u': 'such structure', ...shapes, ...later },
  ],
])('%s names what it does not embed, and embeds all else', (relationForm, expected) => {
  const model = { entities: 10, relations: 4, relationForm };
  const refused = Object.entries(queries).flatMap(([name, query]) => {
    try {
      checkTrained([query], model);
      return [];
    } catch (problem) {
      expect(problem).toMatchObject({
        ...{ code: 'usage', path: '$.mode', hint: expect.stringContaining('Ask in mode sets') },
      });
      return [[name, (problem as Error).message]];
    }
  });
  const told = (part: string): string =>
    `mode: expected sets, got embedding: ${relationForm} embeds no ${part}`;
  expect(Object.fromEntries(refused)).toEqual(
    Object.fromEntries(Object.entries(expected).map(([name, part]) => [name, told(part)])),
  );
});
