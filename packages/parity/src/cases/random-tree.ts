import { asEntityId, asRelationId, type Random } from '@fuzzqe/core';
import type { ModelConfig } from '@fuzzqe/core/model';
import { and, entity, not, or, project, type Query } from '@fuzzqe/core/query';

/**
 * A query tree of any shape with at most `depth` operators above an anchor.
 *
 * Projections are likeliest, as in questions that people ask; branches have two operands, now and then three.
 */
export function randomTree(config: ModelConfig, depth: number, random: Random): Query {
  const kind = depth === 0 ? 0 : random.below(10);
  const inner = (): Query => randomTree(config, depth - 1, random);
  if (kind === 0) return entity(asEntityId(random.below(config.entities)));
  if (kind <= 4) return project(asRelationId(random.below(config.relations)), inner());
  if (kind === 9) return not(inner());
  const branch = kind <= 6 ? and : or;
  return random.below(5) === 0 ? branch(inner(), inner(), inner()) : branch(inner(), inner());
}
