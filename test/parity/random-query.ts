import { asEntityId, asRelationId } from '@fuzzqe/core';
import type { ModelConfig } from '@fuzzqe/core/model';
import { and, entity, not, or, project, type Query } from '@fuzzqe/core/query';
import fc from 'fast-check';

/** Query trees of any shape with at most `depth` operators above an anchor. */
export function anyQuery(config: ModelConfig, depth: number): fc.Arbitrary<Query> {
  const anchor = fc.nat(config.entities - 1).map((id): Query => entity(asEntityId(id)));
  if (depth === 0) return anchor;
  const inner = anyQuery(config, depth - 1);
  const relation = fc.nat(config.relations - 1).map(asRelationId);
  const operands = fc.tuple(inner, inner, fc.option(inner)).map(([a, b, more]) => ({ a, b, more }));
  return fc.oneof(
    { arbitrary: anchor, weight: 1 },
    { arbitrary: fc.tuple(relation, inner).map(([by, from]): Query => project(by, from)), weight: 4 },
    {
      arbitrary: operands.map(({ a, b, more }): Query => (more === null ? and(a, b) : and(a, b, more))),
      weight: 2,
    },
    {
      arbitrary: operands.map(({ a, b, more }): Query => (more === null ? or(a, b) : or(a, b, more))),
      weight: 2,
    },
    { arbitrary: inner.map((operand): Query => not(operand)), weight: 1 },
  );
}
