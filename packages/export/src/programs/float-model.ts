import {
  logicOf,
  type ModelConfig,
  projectionInput,
  projectionOutput,
  type RelationTable,
} from '@fuzzqe/core/model';
import {
  add,
  div,
  gather,
  greaterOrEqual,
  l2Norm,
  matmul,
  mean,
  mul,
  parameter,
  reshape,
  scalar,
  slice,
  sub,
  type Tensor,
  toFloat,
  topKIndices,
  topKValues,
  transpose,
  where,
} from '@fuzzqe/core/tensor';
import { blockProjections } from './block-projections.ts';
import { linkDirections } from './link-directions.ts';
import { servedCentroids } from './served-centroids.ts';
import type { LinkLogits, ServedModel } from './served-model.ts';
import { lengthsShape, lengthsTable, tableParameters } from './tables.ts';

/** What an entity that is not allowed scores: less than any score, which are sums of products of numbers ≥ 0. */
export const refused: Tensor = scalar(-1);

/** Scores with `refused` for what is not allowed; all are without `allowed`. Shapes: [n, m] and [n, m] → [n, m]. */
export function onlyAllowed(scores: Tensor, allowed: Tensor | undefined): Tensor {
  return allowed === undefined ? scores : where(greaterOrEqual(allowed, scalar(0.5)), scores, refused);
}

/** The model on the tables of `tableShape`, in float32 or in float16 that is cast to float32 where it is read. */
export function floatModel(config: ModelConfig, dtype: 'float' | 'half'): ServedModel {
  const { entities, relations } = tableParameters(config, dtype);
  const float = (table: Tensor): Tensor => (dtype === 'half' ? toFloat(table) : table);
  const rows = (table: Tensor, ids: Tensor): Tensor => float(gather(table, ids));
  const products = (x: Tensor): Tensor => matmul(x, transpose(float(entities), [1, 0]));
  const shape = lengthsShape(config);
  /** x · p_e / ‖p_e‖: the length is that of the entity alone, and no run computes it. */
  const productsOfUnit = (x: Tensor): Tensor =>
    shape === undefined ? products(x) : mul(products(x), parameter(lengthsTable, shape));
  /** τ cos of chosen rows of the entity tables. */
  const logitsOf = (choose: (table: Tensor) => Tensor, directions: Tensor): LinkLogits => {
    const logits = matmul(float(choose(entities)), directions);
    if (shape === undefined) return { logits, axis: 1 };
    const lengths = choose(parameter(lengthsTable, shape));
    return { logits: mul(logits, reshape(lengths, [lengths.shape[0]!, 1])), axis: 1 };
  };
  return {
    config,
    logic: logicOf(config),
    anchor: (ids) => rows(entities, ids),
    ...servedCentroids(config, (ids) => rows(entities, ids)),
    ...(relations.form === 'blocks'
      ? blockProjections(config, relations.blocks)
      : matrixProjections(config, relations, rows)),
    ranking(embedding, allowed, k) {
      const scores =
        config.score === 'cosine'
          ? productsOfUnit(embedding)
          : productsAroundMean(config, embedding, products);
      const open = onlyAllowed(scores, allowed);
      return { ids: topKIndices(open, k), scores: topKValues(open, k) };
    },
    linkLogits: (temperature, x) => productsOfUnit(linkDirections(config, temperature, x)),
    linkLogitsInParts(temperature, x) {
      const directions = directionColumns(config, temperature, x);
      return partsOf(config.entities).map(([from, to]) => {
        const part = (table: Tensor): Tensor =>
          to - from === config.entities ? table : slice(table, from, to, 0);
        return logitsOf(part, directions);
      });
    },
    linkLogitsAt: (temperature, x, candidates) =>
      logitsOf((table) => gather(table, candidates), directionColumns(config, temperature, x)),
  };
}

/** W_r and b_r in a table each, of which `rows` reads some. */
function matrixProjections(
  config: ModelConfig,
  { weights, bias }: RelationTable & { readonly form: 'bases' },
  rows: (table: Tensor, ids: Tensor) => Tensor,
): Pick<ServedModel, 'project' | 'projectTogether'> {
  const d = config.dimension;
  const affine = (product: Tensor, relations: Tensor): Tensor =>
    projectionOutput(config, add(product, rows(bias, relations)));
  return {
    project(x, relations) {
      const n = x.shape[0]!;
      const each = reshape(projectionInput(config, x), [n, 1, d]);
      return affine(reshape(matmul(each, rows(weights, relations)), [n, d]), relations);
    },
    projectTogether(x, relation) {
      const matrix = reshape(rows(weights, relation), [d, d]);
      return affine(matmul(projectionInput(config, x), matrix), relation);
    },
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
  if (config.relationForm === 'bases') return products(query);
  const centre = mean(query, [-1]);
  return add(products(sub(query, centre)), centre);
}

/** Link directions as columns, so that a runtime adds offsets inside the product with them. Shapes: x [n, d] → [d, n]. */
function directionColumns(config: ModelConfig, temperature: Tensor, x: Tensor): Tensor {
  if (config.relationForm === 'blocks') return transpose(linkDirections(config, temperature, x), [1, 0]);
  return mul(transpose(x, [1, 0]), transpose(div(temperature, l2Norm(x, 1e-12)), [1, 0]));
}

/** How many entities a part has at least: its products with 64 rows take 256 KB. */
const leastOfPart = 2048;
/** How many parts there are at most: each is a dozen nodes of a graph. */
const mostParts = 16;

/** Where the parts of the entities begin and end. */
function partsOf(entities: number): (readonly [from: number, to: number])[] {
  const size = Math.max(leastOfPart, Math.ceil(entities / mostParts));
  return Array.from({ length: Math.ceil(entities / size) }, (_, i) => [
    i * size,
    Math.min((i + 1) * size, entities),
  ]);
}
