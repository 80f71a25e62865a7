import { centroidEntities, centroidOf, hasCentroids, type ModelConfig } from '@fuzzqe/core/model';
import { constant, mean, sub } from '@fuzzqe/core/tensor';
import type { ServedModel } from './served-model.ts';

/** (3) Centroids of the entities that a profile's own ranking finds. */
export function servedCentroids(
  config: ModelConfig,
  { anchor, ranking }: Pick<ServedModel, 'anchor' | 'ranking'>,
): Pick<ServedModel, 'centroid'> {
  if (!hasCentroids(config)) return { centroid: undefined };
  const count = constant([Math.min(centroidEntities, config.entities)], [1], 'int');
  return {
    centroid(x) {
      // What all entities have alike would take digits of what tells them apart.
      const { ids, scores } = ranking(sub(x, mean(x, [-1])), undefined, count);
      return centroidOf(config, scores, anchor(ids));
    },
  };
}
