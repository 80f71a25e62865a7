import type { Logic } from '@fuzzqe/core/logic';
import {
  constant,
  div,
  gather,
  l2Norm,
  matmul,
  neg,
  slice,
  type Tensor,
  transpose,
} from '@fuzzqe/core/tensor';
import type { ModelConfig } from '../config/config.ts';
import { scoresWhole, traitsOf } from '../config/family-traits.ts';
import { familyOf } from '../families/families.ts';
import type { OfRelations, ProjectionDropout, RowGroups, SharedTensors, Tables } from '../families/family.ts';

/**
 * The model, written once: the formulas of its family.
 *
 * Every function below gives a piece of a tensor program. The float64 reference, the training step, the exported
 * ONNX graphs and every other runtime interpret these same pieces; no formula of a family stands anywhere else.
 * The numbers (1) to (9) are those of docs/model.md. Vectors are rows, so W_r is applied from the right.
 */

/** (1) Entity embedding p_e. Shapes: rows of `entities` [n, ·] → [n, w]. */
export function entityEmbedding(config: ModelConfig, x: Tensor): Tensor {
  return familyOf(config).entity(config, x);
}

/** The vector of a query that is an entity. Shapes: p_e [n, w] → [n, d]. */
export function anchorVectors(config: ModelConfig, vectors: Tensor): Tensor {
  return familyOf(config).anchor?.(config, vectors, 2) ?? vectors;
}

/** (2) The tables of relations that projections read, by name. Shapes: coefficients [n, ·] → [n, ...]. */
export function relationWeights(config: ModelConfig, trained: OfRelations): Tables {
  return familyOf(config).relationTables(config, trained);
}

/** (4) Relation projection, one relation for each row. Shapes: x [n, d]; relations [n] → [n, d]. */
export function relationProjection(
  config: ModelConfig,
  tables: Tables,
  x: Tensor,
  relations: Tensor,
): Tensor {
  return familyOf(config).projectFrom(config, x, (table) => gather(tables[table]!, relations), tables);
}

/** (4) Relation projection from the trained tensors, without tables. Shapes: x [n, d], coefficients [n, ·] → [n, d]. */
export function outerProjection(
  config: ModelConfig,
  trained: OfRelations,
  x: Tensor,
  dropout?: ProjectionDropout,
): Tensor {
  return familyOf(config).project(config, trained, x, dropout);
}

/** (4) Relation projection of rows grouped by relation, where relations have matrices. Shapes: x [n, d] → [n, d]. */
export function groupedProjection(
  config: ModelConfig,
  tables: Tables,
  x: Tensor,
  groups: RowGroups,
  dropout?: ProjectionDropout,
): Tensor {
  return familyOf(config).projectGroups!(config, tables, x, groups, dropout);
}

/** (5) to (7) The logic of a model's embeddings of queries. Answers as fuzzy sets have `logics` as they are. */
export function logicOf(config: ModelConfig, shared: SharedTensors = {}): Logic {
  return familyOf(config).logic(config, shared);
}

/** A query's vector at a temperature: its products with s_e tell entities apart on one scale for all queries. Shapes: τ [1] or [n, 1], S_q [n, d] → [n, d]. */
export function queryDirections(config: ModelConfig, temperature: Tensor, query: Tensor): Tensor {
  return familyOf(config).directions!(config, temperature, query);
}

/**
 * s(e) of (9), the model's score of every entity as tail of links: `cos(P_r(p_h), p_e)`, or with blocks `2d (P_r(p_h) − its mean) · p_e`.
 *
 * Where scores are distances, −δ. Shapes: P_r(p_h) [m, d], p_e [|E|, w] → [m, |E|].
 *
 * @example
 * const { entities } = trainedParameters(trained.config);
 * const scores = linkScores(trained.config, entities, entities);
 */
export function linkScores(config: ModelConfig, projected: Tensor, entities: Tensor): Tensor {
  const { distances, positive } = familyOf(config);
  // A link has one alternative.
  const width = config.dimension / (traitsOf(config).distances === 'trees' ? 1 : 2);
  const link = (): Tensor => slice(projected, 0, width, 1);
  if (distances !== undefined) return neg(distances(config, link(), entities));
  const isWhole = positive !== undefined || scoresWhole(config);
  const directions = isWhole ? entities : div(entities, l2Norm(entities, 1e-12));
  return matmul(queryDirections(config, constant([1], [1]), projected), transpose(directions, [1, 0]));
}
