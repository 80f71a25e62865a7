import { type Logic, logics } from '../logic/logic.ts';
import type { Template } from '../query/structures.ts';
import { clip01, l2Norm, layerNorm, mean } from '../tensor/functions.ts';
import {
  add,
  div,
  gather,
  matmul,
  mul,
  parameter,
  regroup,
  reshape,
  scalar,
  sigmoid,
  sub,
  sum,
  transpose,
} from '../tensor/ops/index.ts';
import type { Dim } from '../tensor/shape.ts';
import { labelled, type Tensor } from '../tensor/tensor.ts';
import { layerNormEpsilon, type MappingName, type ModelConfig } from './config.ts';
import { parameterShapes } from './parameters.ts';

/**
 * FuzzQE, the whole model, written once.
 *
 * Every function below builds a piece of a tensor program. The float64 reference, the training step, the exported
 * ONNX graphs and every other runtime interpret these same pieces; no formula of the paper stands anywhere else.
 * The numbers (1) to (8) are those of docs/model.md. Vectors are rows, so W_r is applied from the right.
 */

/** The trained tensors as parameters of a program: the names and shapes of `parameterShapes`. */
export function trainedParameters(
  config: ModelConfig,
): Record<keyof ReturnType<typeof parameterShapes>, Tensor> {
  const shapes = parameterShapes(config);
  return {
    entities: parameter('entities', shapes.entities),
    coefficients: parameter('coefficients', shapes.coefficients),
    bases: parameter('bases', shapes.bases),
    biasBases: parameter('biasBases', shapes.biasBases),
  };
}

/**
 * (1) Entity embedding: `p_e = m(x_e) / ‖m(x_e)‖`, in [0,1]^d with its L1 or L2 norm equal to 1.
 *
 * m is `σ(8x − 4)`, which is steep enough to reach both ends from x in [0,1], or the bounded rectifier.
 * Shapes: x [n, d] → [n, d]. Source: FuzzQE, "Queries and Entities in Fuzzy Space".
 */
export function entityEmbedding(config: ModelConfig, x: Tensor): Tensor {
  const inside = config.entityMapping === 'logistic' ? sigmoid(sub(mul(x, scalar(8)), scalar(4))) : clip01(x);
  const norm = config.entityNormalisation === 'l1' ? sum(inside, [-1]) : l2Norm(inside);
  // An entity that the bounded rectifier maps to zero has no direction: it stays zero instead of becoming NaN.
  return labelled('entity', div(inside, add(norm, scalar(1e-12))));
}

/**
 * (2) Relation weights by basis decomposition: `W_r = Σ_j α_rj M_j`, `b_r = Σ_j α_rj v_j`.
 *
 * Shapes: coefficients [n, K] → weights [n, d, d], bias [n, d]. Source: FuzzQE, "Relation Projection".
 */
export function relationWeights(
  config: ModelConfig,
  coefficients: Tensor,
  bases: Tensor,
  biasBases: Tensor,
): { readonly weights: Tensor; readonly bias: Tensor } {
  const { dimension: d, bases: count } = config;
  const rows = coefficients.shape[0]!;
  return {
    weights: labelled('W_r', reshape(matmul(coefficients, reshape(bases, [count, d * d])), [rows, d, d])),
    bias: labelled('b_r', matmul(coefficients, biasBases)),
  };
}

/** (3) What enters a projection: the vector as it is, or with length 1. Shapes: [n, d] → [n, d]. */
export function projectionInput(config: ModelConfig, x: Tensor): Tensor {
  return config.projectionInput === 'raw' ? x : div(x, l2Norm(x, 1e-12));
}

/** g of (4). */
function mapping(name: MappingName, x: Tensor): Tensor {
  return name === 'logistic' ? sigmoid(x) : clip01(x);
}

/**
 * (4) Relation projection: `P_r(x) = g(LN(x W_r + b_r))`, one relation for each row.
 *
 * Shapes: x [n, d]; weights [|R|, d, d], bias [|R|, d], relations [n] → [n, d] in [0,1].
 * Source: FuzzQE, "Relation Projection for Atomic Queries".
 */
export function relationProjection(
  config: ModelConfig,
  table: { readonly weights: Tensor; readonly bias: Tensor },
  x: Tensor,
  relations: Tensor,
): Tensor {
  const d = config.dimension;
  const rows = x.shape[0]!;
  const each = reshape(projectionInput(config, x), [rows, 1, d]);
  const product = reshape(matmul(each, gather(table.weights, relations)), [rows, d]);
  return projectionOutput(config, add(product, gather(table.bias, relations)));
}

/** (4) The end of a projection: `g(LN(y))` of `y = u(x) W_r + b_r`. Shapes: [n, d] → [n, d]. */
export function projectionOutput(config: ModelConfig, affine: Tensor): Tensor {
  return labelled('projection', mapping(config.mapping, layerNorm(affine, layerNormEpsilon)));
}

/** Where the rows of one level of projections stand when they are sorted by relation. */
export interface RowGroups {
  /** [groups, capacity]: the row at each place; the number of rows where a place stays empty. */
  readonly rows: Tensor;
  /** [n]: the place of each row, counted through all groups. */
  readonly places: Tensor;
}

/**
 * (4) Relation projection of rows grouped by relation: one product with W_r for each group.
 *
 * It costs `groups·capacity·d²` instead of reading a `d×d` matrix for each row; results are equal.
 * Shapes: x [n, d]; weights [groups, d, d], bias [groups, d] → [n, d].
 */
export function groupedProjection(
  config: ModelConfig,
  table: { readonly weights: Tensor; readonly bias: Tensor },
  x: Tensor,
  groups: RowGroups,
  /** What training does to the normalised output before g: dropout. */
  dropout: (normalised: Tensor) => Tensor = (normalised) => normalised,
): Tensor {
  const d = config.dimension;
  const gathered = regroup(projectionInput(config, x), groups.rows, groups.places);
  const affine = add(matmul(gathered, table.weights), reshape(table.bias, [table.bias.shape[0]!, 1, d]));
  const back = regroup(affine, groups.places, groups.rows);
  return mapping(config.mapping, dropout(layerNorm(back, layerNormEpsilon)));
}

/**
 * (4) Relation projection without forming any W_r: `(α_r ⊗ x) M` as one matrix product over all rows.
 *
 * It costs `n·K·d²`, which is less than forming W_r where there are fewer rows than relations.
 * Shapes: coefficients [n, K], one row for each row of x [n, d]; bases [K, d, d], biasBases [K, d] → [n, d].
 */
export function outerProjection(
  config: ModelConfig,
  trained: { readonly coefficients: Tensor; readonly bases: Tensor; readonly biasBases: Tensor },
  x: Tensor,
  dropout: (normalised: Tensor) => Tensor = (normalised) => normalised,
): Tensor {
  const { dimension: d, bases: count } = config;
  const rows = x.shape[0]!;
  const { coefficients, bases, biasBases } = trained;
  const pairs = mul(
    reshape(coefficients, [rows, count, 1]),
    reshape(projectionInput(config, x), [rows, 1, d]),
  );
  const product = matmul(reshape(pairs, [rows, count * d]), reshape(bases, [count * d, d]));
  const affine = add(product, matmul(coefficients, biasBases));
  return mapping(config.mapping, dropout(layerNorm(affine, layerNormEpsilon)));
}

/**
 * (5) to (7) The embedding of a query: projections (4) and the operators of the logic, from the anchors up.
 *
 * `anchor` and `project` say what fills the slots; ∧ and ∨ of many operands are taken from left to right.
 */
export function embedTemplate(
  logic: Logic,
  template: Template,
  slots: { anchor(slot: number): Tensor; project(relation: number, from: Tensor): Tensor },
): Tensor {
  switch (template.op) {
    case 'entity':
      return slots.anchor(template.anchor);
    case 'project':
      return slots.project(template.relation, embedTemplate(logic, template.from, slots));
    case 'not':
      return logic.negation(embedTemplate(logic, template.operand, slots));
    case 'and':
    case 'or': {
      const combine = template.op === 'and' ? logic.conjunction : logic.disjunction;
      return template.operands.map((operand) => embedTemplate(logic, operand, slots)).reduce(combine);
    }
  }
}

/**
 * (8) The vector of an entity that queries are multiplied with: `s_e = p_e`, or `s_e = p_e / ‖p_e‖₂` for cosines.
 *
 * Shapes: p_e [..., d] → [..., d].
 */
export function scoredEntity(config: ModelConfig, entities: Tensor): Tensor {
  return config.score === 'innerProduct' ? entities : div(entities, l2Norm(entities, 1e-12));
}

/**
 * (8) Score: `φ(q, e) = S_qᵀ s_e` for every entity, or for m entities of each query's own.
 *
 * With cosines this is `‖S_q‖ cos(S_q, p_e)`: it ranks as the cosine does, and is not divided by ‖S_q‖, which is the
 * same for all entities, because `φ(q₁ ∧ q₂, e) ≤ φ(q₁, e)` and the other laws compare the scores of queries.
 * Shapes: query [n, d], p_e [|E|, d] → [n, |E|]; p_e [n, m, d] → [n, m]. Source: FuzzQE, "Score Function".
 */
export function scores(config: ModelConfig, query: Tensor, entities: Tensor): Tensor {
  const scored = scoredEntity(config, entities);
  if (entities.shape.length === 2) return labelled('score', matmul(query, transpose(scored, [1, 0])));
  const [rows, count] = entities.shape as [Dim, Dim];
  const columns = reshape(query, [rows, config.dimension, 1]);
  return labelled('score', reshape(matmul(scored, columns), [rows, count]));
}

/** (8) Score of each query with one entity of its own. Shapes: query [n, d], p_e [n, d] → [n, 1]. */
export function scorePairs(config: ModelConfig, query: Tensor, entities: Tensor): Tensor {
  return labelled('score', sum(mul(query, scoredEntity(config, entities)), [-1]));
}

/**
 * (8) The mean score of each query over entities: that of their mean, `S_qᵀ mean_e s_e`, which takes no score of each.
 *
 * Shapes: query [n, d], p_e [m, d] or [n, m, d] → [n, 1].
 */
export function meanScore(config: ModelConfig, query: Tensor, entities: Tensor): Tensor {
  const scored = scoredEntity(config, entities);
  const [rows] = query.shape as [Dim, Dim];
  const shared = scored.shape.length === 2;
  const centre = mean(scored, [shared ? 0 : 1]);
  return sum(mul(query, shared ? centre : reshape(centre, [rows, config.dimension])), [-1]);
}

/** The logic that a model's queries are read in. */
export function logicOf(config: ModelConfig): Logic {
  return logics[config.logic];
}
