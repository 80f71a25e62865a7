import { asEntityId, asRelationId } from '@fuzzqe/core';
import type { Query } from '@fuzzqe/core/query';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { appendSteps, type OperatorStep } from './operator-steps.ts';
import { planQuery, summarisePlan } from './plan.ts';

const { query: trees } = fc.letrec<{ query: Query; operands: readonly Query[] }>((tie) => ({
  query: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.nat(39).map((id): Query => ({ op: 'entity', entity: asEntityId(id) })),
    fc
      .tuple(fc.nat(5), tie('query'))
      .map(([id, from]): Query => ({ op: 'project', relation: asRelationId(id), from })),
    tie('query').map((operand): Query => ({ op: 'not', operand })),
    fc
      .tuple(fc.constantFrom('and' as const, 'or' as const), tie('operands'))
      .map(([op, operands]): Query => ({ op, operands })),
  ),
  operands: fc.array(tie('query'), { minLength: 2, maxLength: 4 }),
}));

it('says of any tree which operators run, and how often', () => {
  fc.assert(
    fc.property(trees, fc.boolean(), (query, centroids) => {
      const steps: OperatorStep[] = [];
      const planning = { choice: 'operators', centroids } as const;
      appendSteps(steps, planQuery(query, planning));
      const counts: Record<string, number> = { rank: 1 };
      for (const { operator } of steps) counts[operator] = (counts[operator] ?? 0) + 1;
      expect(summarisePlan(query, planning).graphs).toEqual(counts);
    }),
    { numRuns: 500 },
  );
});
