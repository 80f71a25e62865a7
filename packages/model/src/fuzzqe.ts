import { type Logic, logics, sugenoNegation } from '@fuzzqe/core/logic';
import type { Template } from '@fuzzqe/core/query';
import type { Dim } from '@fuzzqe/core/tensor';
import {
  add,
  clip01,
  concat,
  constant,
  div,
  gather,
  l2Norm,
  labelled,
  layerNorm,
  matmul,
  max,
  mean,
  minimum,
  mul,
  neg,
  parameter,
  regroup,
  reshape,
  scalar,
  sigmoid,
  slice,
  sqrt,
  square,
  sub,
  sum,
  type Tensor,
  transpose,
} from '@fuzzqe/core/tensor';
import { hasCentroids, layerNormEpsilon, type MappingName, type ModelConfig } from './config.ts';
import { basesOf, type OfParameters, parameterNamesOf, parameterShapes } from './parameters.ts';
import { domainShape, type RelationDomains } from './relation-domains.ts';

/**
 * FuzzQE, the whole model, written once.
 *
 * Every function below builds a piece of a tensor program. The float64 reference, the training step, the exported
 * ONNX graphs and every other runtime interpret these same pieces; no formula of the paper stands anywhere else.
 * The numbers (1) to (8) are those of docs/model.md. Vectors are rows, so W_r is applied from the right.
 */

/** The trained tensors as parameters of a program: the names and shapes of `parameterShapes`. */
export function trainedParameters(config: ModelConfig): OfParameters<Tensor> {
  const shapes = parameterShapes(config);
  const named = parameterNamesOf(config).map((name) => [name, parameter(name, shapes[name]!)] as const);
  // fromEntries forgets the names, which are those of the shapes.
  return Object.fromEntries(named) as OfParameters<Tensor>;
}

/**
 * (1) Entity embedding: `p_e = m(x_e) / ‖m(x_e)‖`, in [0,1]^d with its L1 or L2 norm equal to 1.
 *
 * m is `σ(8x − 4)`, which is steep enough to reach both ends from x in [0,1], or the bounded rectifier; with blocks `σ(x)`,
 * whose x are numbers of the size of a block's.
 * Shapes: x [n, d] → [n, d]. Source: FuzzQE, "Queries and Entities in Fuzzy Space".
 */
export function entityEmbedding(config: ModelConfig, x: Tensor): Tensor {
  const steep = (free: Tensor): Tensor => sigmoid(sub(mul(free, scalar(8)), scalar(4)));
  const inside =
    config.relationForm === 'blocks'
      ? sigmoid(x)
      : config.entityMapping === 'logistic'
        ? steep(x)
        : clip01(x);
  const norm = config.entityNormalisation === 'l1' ? sum(inside, [-1]) : l2Norm(inside);
  // An entity that the bounded rectifier maps to zero has no direction: it stays zero instead of becoming NaN.
  return labelled('entity', div(inside, add(norm, scalar(1e-12))));
}

/** Relations as projections take them: W_r [n, d, d] and b_r [n, d], or the blocks of W_r [n, d]. */
export type RelationTable =
  | { readonly form: 'bases'; readonly weights: Tensor; readonly bias: Tensor }
  | { readonly form: 'blocks'; readonly blocks: Tensor };

/**
 * (2) Relation weights by basis decomposition: `W_r = Σ_j α_rj M_j`, `b_r = Σ_j α_rj v_j`.
 *
 * With blocks W_r is 0 but for `[c s; −s c]` in the rows and columns i and i + d/2, with c = α_r(i) and s = α_r(i + d/2),
 * and there is no b_r. Shapes: coefficients [n, K] → weights [n, d, d], bias [n, d]; blocks [n, d] as they are.
 * Source: FuzzQE, "Relation Projection"; blocks: Trouillon et al., "Complex Embeddings", ICML 2016, on [0,1]^d.
 */
export function relationWeights(
  config: ModelConfig,
  trained: Omit<OfParameters<Tensor>, 'entities'>,
): RelationTable {
  const { coefficients } = trained;
  if (config.relationForm === 'blocks') return { form: 'blocks', blocks: coefficients };
  const { dimension: d, bases: count } = config;
  const { bases, biasBases } = basesOf(trained);
  const rows = coefficients.shape[0]!;
  return {
    form: 'bases',
    weights: labelled('W_r', reshape(matmul(coefficients, reshape(bases, [count, d * d])), [rows, d, d])),
    bias: labelled('b_r', matmul(coefficients, biasBases)),
  };
}

/** The product of rows with block-diagonal matrices: [a b] → [a c − b s, a s + b c]. Shapes: x and blocks [..., d] → [..., d]. */
export function blockProduct(config: ModelConfig, x: Tensor, blocks: Tensor): Tensor {
  const [half, whole] = [config.dimension / 2, config.dimension];
  const axis = x.shape.length - 1;
  const halves = (of: Tensor): [Tensor, Tensor] => [slice(of, 0, half, axis), slice(of, half, whole, axis)];
  const [[a, b], [c, s]] = [halves(x), halves(blocks)];
  return concat([sub(mul(a, c), mul(b, s)), add(mul(a, s), mul(b, c))], axis);
}

/** How far a vector is from belonging to everything alike: `x / mean(x) − 1`. Shapes: [..., d] → [..., d]. */
export function relativeToMean(x: Tensor): Tensor {
  return sub(div(x, add(mean(x, [-1]), scalar(1e-12))), scalar(1));
}

/** The same of vectors of entities, of which it is known that the mean is 1/d where their L1 norm is 1. Shapes: [..., d] → [..., d]. */
export function entityRelativeToMean(config: ModelConfig, x: Tensor): Tensor {
  if (config.entityNormalisation !== 'l1') return relativeToMean(x);
  return sub(mul(x, scalar(config.dimension)), scalar(1));
}

/**
 * (3) Centroid of the recorded heads of a relation as a vector ranks them: `C_r(S) = Σ_h w_h p_h / Σ_h w_h` over its domain, with
 * `w_h = n_hr (((φ_h − φ_min) / (φ_max − φ_min + 1 / 32d))⁸ + 1e-9)`.
 *
 * n_hr is how many tails h has along r, φ_max and φ_min are the highest and the lowest score among the heads: what scores have in common does
 * not matter, and their scale only where they lie so near to each other that rounding would order them. Shapes: x [n, d], p_h [n, m, d], n_hr [n, m] → [n, d], in [0,1]^d with a sum of 1 as p_h. Source: not
 * in the paper; the read-out of an associative memory (Ramsauer et al., "Hopfield Networks is All You Need", ICLR 2021) with a power in
 * place of the exponential.
 */
export function centroid(config: ModelConfig, x: Tensor, heads: Tensor, tails: Tensor): Tensor {
  const [rows, count] = heads.shape as [Dim, Dim];
  // What all entities have alike would take digits of what tells them apart.
  const all = scores(config, sub(x, mean(x, [-1])), heads);
  const lowest = neg(max(neg(all), [-1]));
  const range = add(sub(max(all, [-1]), lowest), scalar(1 / (32 * config.dimension)));
  const share = div(sub(all, lowest), range);
  // Where scores are equal but for their rounding, about 1e-7 / d, heads weigh by their tails.
  const weights = mul(tails, add(square(square(square(share))), scalar(1e-9)));
  const sums = reshape(matmul(reshape(weights, [rows, 1, count]), heads), [rows, config.dimension]);
  return labelled('centroid', div(sums, sum(weights, [-1])));
}

/** C_r of (3) for rows with a relation each, undefined where the model has none. Shapes: p_e [|E|, d]; x [n, d], relations [n] → [n, d]. */
export function centroidsIn(
  config: ModelConfig,
  entities: Tensor,
  domains: RelationDomains,
): ((x: Tensor, relations: Tensor) => Tensor) | undefined {
  if (!hasCentroids(config)) return undefined;
  const shape = domainShape(config);
  const heads = constant(Array.from(domains.heads), shape, 'int');
  const tails = constant(Array.from(domains.tails), shape);
  return (x, relations) =>
    centroid(config, x, gather(entities, gather(heads, relations)), gather(tails, relations));
}

/**
 * (3) What enters a projection: the vector as it is, or with length 1; with blocks `y = x / mean(x) − 1`, or y lengthened to
 * a root mean square of 1/8 where it is shorter, `y / min(1, 8 √(mean(y²) + 1e-6))`.
 *
 * Trained entities have 0.1 to 0.2, and what follows from a projection a tenth of that: a conjunction of hops of different
 * numbers would go by the shortest path alone. With `domain` x is C_r(S) where S follows from a projection or an operator: anyone who
 * composes projections puts it there. Shapes: [..., d] → [..., d].
 */
export function projectionInput(config: ModelConfig, x: Tensor): Tensor {
  if (config.relationForm === 'bases') return config.projectionInput === 'raw' ? x : div(x, l2Norm(x, 1e-12));
  const y = relativeToMean(x);
  if (config.projectionInput !== 'lengthened') return y;
  // ε is small compared with the square of what follows from a projection, and keeps the rounding of what is nearly 0 small.
  const length = sqrt(add(mean(square(y), [-1]), scalar(1e-6)));
  return div(y, minimum(mul(length, scalar(8)), scalar(1)));
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
  table: RelationTable,
  x: Tensor,
  relations: Tensor,
): Tensor {
  if (table.form === 'blocks') return blocksProjection(config, x, gather(table.blocks, relations));
  const d = config.dimension;
  const rows = x.shape[0]!;
  const each = reshape(projectionInput(config, x), [rows, 1, d]);
  const product = reshape(matmul(each, gather(table.weights, relations)), [rows, d]);
  return projectionOutput(config, add(product, gather(table.bias, relations)));
}

/** (4) Relation projection by blocks: `P_r(x) = σ(u(x) W_r)`. Shapes: x and blocks [n, d], or blocks [1, d] → [n, d] in [0,1]. */
export function blocksProjection(config: ModelConfig, x: Tensor, blocks: Tensor): Tensor {
  const output = blockProduct(config, projectionInput(config, x), blocks);
  return labelled('projection', mapping(config.mapping, output));
}

/** (4) The end of a projection by bases: `g(LN(y))` of `y = u(x) W_r + b_r`. Shapes: [n, d] → [n, d]. */
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

/** What training does inside a projection. */
export interface ProjectionDropout {
  /** By bases to x before (3), which lengthens it again; by blocks to the result of (3), where 0 says nothing of an element. */
  input(x: Tensor): Tensor;
  /** To the normalised output, before g. */
  output(normalised: Tensor): Tensor;
}

const noDropout: ProjectionDropout = { input: (x) => x, output: (x) => x };

/** (3) with dropout of the input. */
function droppedInput(config: ModelConfig, x: Tensor, { input }: ProjectionDropout): Tensor {
  return config.relationForm === 'blocks'
    ? input(projectionInput(config, x))
    : projectionInput(config, input(x));
}

/**
 * (4) Relation projection of rows grouped by relation: one product with W_r for each group.
 *
 * It costs `groups·capacity·d²` instead of reading a `d×d` matrix for each row; results are equal.
 * Shapes: x [n, d]; weights [groups, d, d], bias [groups, d] → [n, d].
 */
export function groupedProjection(
  config: ModelConfig,
  table: RelationTable,
  x: Tensor,
  groups: RowGroups,
  dropout: ProjectionDropout = noDropout,
): Tensor {
  const d = config.dimension;
  const gathered = regroup(droppedInput(config, x, dropout), groups.rows, groups.places);
  if (table.form === 'blocks') {
    const blocks = reshape(table.blocks, [table.blocks.shape[0]!, 1, d]);
    const output = regroup(blockProduct(config, gathered, blocks), groups.places, groups.rows);
    return mapping(config.mapping, dropout.output(output));
  }
  const affine = add(matmul(gathered, table.weights), reshape(table.bias, [table.bias.shape[0]!, 1, d]));
  const back = regroup(affine, groups.places, groups.rows);
  return mapping(config.mapping, dropout.output(layerNorm(back, layerNormEpsilon)));
}

/**
 * (4) Relation projection without forming any W_r: `(α_r ⊗ x) M` as one matrix product over all rows.
 *
 * With blocks there is no matrix to form. It costs `n·K·d²`, which is less than forming W_r where there are fewer rows than relations.
 * Shapes: coefficients [n, K], one row for each row of x [n, d]; bases [K, d, d], biasBases [K, d] → [n, d].
 */
export function outerProjection(
  config: ModelConfig,
  trained: Omit<OfParameters<Tensor>, 'entities'>,
  x: Tensor,
  dropout: ProjectionDropout = noDropout,
): Tensor {
  const { dimension: d, bases: count } = config;
  const rows = x.shape[0]!;
  const { coefficients } = trained;
  if (config.relationForm === 'blocks') {
    const output = blockProduct(config, droppedInput(config, x, dropout), coefficients);
    return mapping(config.mapping, dropout.output(output));
  }
  const { bases, biasBases } = basesOf(trained);
  const pairs = mul(
    reshape(coefficients, [rows, count, 1]),
    reshape(droppedInput(config, x, dropout), [rows, 1, d]),
  );
  const product = matmul(reshape(pairs, [rows, count * d]), reshape(bases, [count * d, d]));
  const affine = add(product, matmul(coefficients, biasBases));
  return mapping(config.mapping, dropout.output(layerNorm(affine, layerNormEpsilon)));
}

/** What fills the slots of a template. */
export interface TemplateSlots {
  anchor(slot: number): Tensor;
  project(relation: number, from: Tensor): Tensor;
  /** C_r of (3): what a projection starts from instead of a vector that is no anchor's; undefined where it starts from the vector. */
  readonly centroid: ((relation: number, from: Tensor) => Tensor) | undefined;
}

/**
 * (5) to (7) The embedding of a query: projections (4) and the operators of the logic, from the anchors up; ∧ and ∨ of
 * many operands are taken from left to right.
 */
export function embedTemplate(logic: Logic, template: Template, slots: TemplateSlots): Tensor {
  switch (template.op) {
    case 'entity':
      return slots.anchor(template.anchor);
    case 'project': {
      const from = embedTemplate(logic, template.from, slots);
      const start =
        template.from.op === 'entity' ? from : (slots.centroid?.(template.relation, from) ?? from);
      return slots.project(template.relation, start);
    }
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
 *
 * @example
 * const { entities: count, dimension } = trained.config;
 * const entities = parameter('entities', [count, dimension]);
 * const all = scores(trained.config, input('query', 'float', ['batch', dimension]), entities);
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

/**
 * A query's vector at a temperature: its products with s_e tell entities apart on one scale for all queries.
 *
 * `τ S_q / ‖S_q‖₂`; with blocks `2dτ (S_q − mean S_q)`: then `Σ_i (2 S_q(i) − 1)(d p_e(i) − 1)` times τ, which the score
 * bilinear in what (3) takes off is, since every p_e sums to 1. Shapes: S_q [n, d], τ [1] or [n, 1] → [n, d].
 */
export function queryDirections(config: ModelConfig, temperature: Tensor, query: Tensor): Tensor {
  return config.relationForm === 'blocks'
    ? mul(sub(query, mean(query, [-1])), mul(temperature, scalar(2 * config.dimension)))
    : mul(query, div(temperature, l2Norm(query, 1e-12)));
}

/** The logic of a model's embeddings of queries, with its negation. Answers as fuzzy sets have `logics` as they are. */
export function logicOf(config: ModelConfig): Logic {
  return { ...logics[config.logic], negation: sugenoNegation(config.negationLambda) };
}
