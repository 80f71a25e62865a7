import { asEntityId, asRelationId, type Random } from '../index.ts';
import { and, entity, not, or, project, type Query } from '../query/index.ts';

/** What queries are drawn from. */
export interface TreeSizes {
  readonly entityCount: number;
  readonly relationCount: number;
  /** The longest way from the root to an anchor. At least 1. */
  readonly depth: number;
}

/** A query whose form comes from chance: projections, ∧, ∨ and ¬ over anchors. */
export function someTree(random: Random, sizes: TreeSizes): Query {
  const { entityCount, relationCount, depth } = sizes;
  const anchor = (): Query => entity(asEntityId(random.below(entityCount)));
  const hop = (from: Query): Query => project(asRelationId(random.below(relationCount)), from);
  const deeper = (): Query => someTree(random, { ...sizes, depth: depth - 1 });
  if (depth <= 1) return random.below(5) === 0 ? anchor() : hop(anchor());
  switch (random.below(6)) {
    case 0:
    case 1:
      return hop(deeper());
    case 2:
      return and(deeper(), deeper(), ...(random.below(3) === 0 ? [deeper()] : []));
    case 3:
      return or(deeper(), deeper(), ...(random.below(3) === 0 ? [deeper()] : []));
    case 4:
      return not(deeper());
    default:
      return and(deeper(), not(deeper()));
  }
}
