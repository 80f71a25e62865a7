import {
  add,
  gather,
  greaterOrEqual,
  matmul,
  mean,
  mul,
  parameter,
  scalar,
  sub,
  type Tensor,
  topKIndices,
  topKValues,
  transpose,
  where,
} from '@fuzzqe/core/tensor';
import { anchorVectors, familyOf, linkScores, type ModelConfig, traitsOf } from '@fuzzqe/model';
import { linkDirections } from './link-directions.ts';
import { servedCentroids } from './served-centroids.ts';
import type { ServedModel } from './served-model.ts';
import { asFloat, entityTable, lengthsShape, lengthsTable, tableParameters } from './tables.ts';

/** What an entity that is not allowed scores: less than any score, which are sums of products of numbers ≥ 0. */
export const refused: Tensor = scalar(-1);

/** Scores with `refused` for what is not allowed; all are without `allowed`. Shapes: [n, m] and [n, m] → [n, m]. */
export function onlyAllowed(scores: Tensor, allowed: Tensor | undefined): Tensor {
  return allowed === undefined ? scores : where(greaterOrEqual(allowed, scalar(0.5)), scores, refused);
}

/** The model on the tables of `tableShape`, in float32 or in float16 that is cast to float32 where it is read. */
export function floatModel(config: ModelConfig, dtype: 'float' | 'half'): ServedModel {
  const tables = tableParameters(config, dtype);
  const rows = (table: string, ids: Tensor): Tensor => asFloat(gather(tables[table]!, ids));
  const family = familyOf(config);
  const isByDistance = family.distances !== undefined;
  const entityRows = (ids: Tensor): Tensor => rows(entityTable, ids);
  const shared = Object.fromEntries(Object.entries(tables).map(([name, table]) => [name, asFloat(table)]));
  const products = (x: Tensor): Tensor => matmul(x, transpose(asFloat(tables[entityTable]!), [1, 0]));
  const shape = lengthsShape(config);
  /** x · p_e / ‖p_e‖: the length is that of the entity alone, and no run computes it. */
  const productsOfUnit = (x: Tensor): Tensor =>
    shape === undefined ? products(x) : mul(products(x), parameter(lengthsTable, shape));
  return {
    config,
    logic: family.logic(config, shared),
    anchor: (ids) => anchorVectors(config, entityRows(ids)),
    ...servedCentroids(config, entityRows),
    project: (x, relations) => family.projectFrom(config, x, (table) => rows(table, relations), shared),
    ranking(embedding, allowed, k) {
      const scores = isByDistance
        ? family.scores(config, embedding, shared[entityTable]!)
        : config.score === 'cosine'
          ? productsOfUnit(embedding)
          : productsAroundMean(config, embedding, products);
      const open = onlyAllowed(scores, allowed);
      return { ids: topKIndices(open, k), scores: topKValues(open, k) };
    },
    linkLogits: (temperature, x) =>
      isByDistance
        ? mul(linkScores(config, x, shared[entityTable]!), temperature)
        : productsOfUnit(linkDirections(config, temperature, x)),
  };
}

/**
 * Products of queries with vectors of entities, where these sum to 1 by those of what queries have beyond their mean.
 *
 * `S · p = mean S + (S − mean S) · p`: with blocks S lies close to 1/2 everywhere, and what a stored number of p is off by
 * would count by that half. Shapes: S [n, d], products [n, d] → [n, m] → [n, m].
 */
export function productsAroundMean(
  config: ModelConfig,
  query: Tensor,
  products: (x: Tensor) => Tensor,
): Tensor {
  if (!traitsOf(config).isCentred) return products(query);
  const centre = mean(query, [-1]);
  return add(products(sub(query, centre)), centre);
}
