import { gather, parameter, type Tensor } from '@fuzzqe/core/tensor';
import { centroid, domainShape, hasCentroids, type ModelConfig } from '@fuzzqe/model';
import type { ServedModel } from './served-model.ts';

/** The tables of `RelationDomains` in the weights of bundles; none where the model has no centroids. */
export const domainTables = { heads: 'relationHeads', tails: 'relationTails' } as const;

/** (3) Centroids of the heads of relations, as a profile reads entities. Shapes: entities [...n] → [...n, d]. */
export function servedCentroids(
  config: ModelConfig,
  anchor: (entities: Tensor) => Tensor,
): Pick<ServedModel, 'centroid'> {
  if (!hasCentroids(config)) return { centroid: undefined };
  const heads = parameter(domainTables.heads, domainShape(config), 'int');
  const tails = parameter(domainTables.tails, domainShape(config));
  return {
    centroid: (x, relations) =>
      centroid(config, x, anchor(gather(heads, relations)), gather(tails, relations)),
  };
}
