import { centroidEntities, centroidOf, hasCentroids, type ModelConfig } from '@fuzzqe/core/model';
import { constant, mean, sub, type Tensor } from '@fuzzqe/core/tensor';
import type { ServedModel } from './served-model.ts';

/** (3) Centroids of the entities that a profile finds: so many, with their scores and vectors. Shapes: x [n, d] → [n, m], [n, m, d]. */
export function servedCentroids(
  config: ModelConfig,
  find: (x: Tensor, count: Tensor) => { readonly scores: Tensor; readonly vectors: Tensor },
): Pick<ServedModel, 'centroid'> {
  if (!hasCentroids(config)) return { centroid: undefined };
  const count = constant([Math.min(centroidEntities, config.entities)], [1], 'int');
  return {
    centroid(x) {
      // What all entities have alike would take digits of what tells them apart.
      const { scores, vectors } = find(sub(x, mean(x, [-1])), count);
      return centroidOf(config, scores, vectors);
    },
  };
}
