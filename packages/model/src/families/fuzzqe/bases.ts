import { FuzzError } from '@fuzzqe/core';
import {
  add,
  div,
  l2Norm,
  labelled,
  layerNorm,
  matmul,
  mul,
  regroup,
  reshape,
  type Tensor,
} from '@fuzzqe/core/tensor';
import { layerNormEpsilon, type ModelConfig } from '../../config/config.ts';
import type { OfParameters } from '../../config/of-parameters.ts';
import type { Family, OfRelations, ProjectionDropout, RowGroups, Tables } from '../family.ts';
import { type BasesShapes, centredParameters, paperParameters } from './bases-start.ts';
import { mapping, normalisedEntity, steepMapping } from './entity.ts';
import { compareProducts, fuzzyLogic, scores } from './scores.ts';

const noDropout: ProjectionDropout = { input: (x) => x, output: (x) => x };

/**
 * The bases, where relations have them.
 *
 * @throws FuzzError `config`: a family without bases.
 */
export function basesOf<T>({ bases, biasBases }: Pick<OfParameters<T>, 'bases' | 'biasBases'>): {
  readonly bases: T;
  readonly biasBases: T;
} {
  if (bases !== undefined && biasBases !== undefined) return { bases, biasBases };
  throw new FuzzError('config', 'expected relations by bases, got blocks', { path: 'relationForm' });
}

/** (3) What enters a projection by bases: the vector as it is, or with length 1. Shapes: [..., d] → [..., d]. */
export function projectionInput(config: ModelConfig, x: Tensor): Tensor {
  return config.projectionInput === 'raw' ? x : div(x, l2Norm(x, 1e-12));
}

/** (4) The end of a projection by bases: `g(LN(y))` of `y = u(x) W_r + b_r`. Shapes: [n, d] → [n, d]. */
export function projectionOutput(config: ModelConfig, affine: Tensor): Tensor {
  return labelled('projection', mapping(config.mapping, layerNorm(affine, layerNormEpsilon)));
}

/**
 * (2) Relation weights by basis decomposition: `W_r = Σ_j α_rj M_j`, `b_r = Σ_j α_rj v_j`.
 *
 * Shapes: coefficients [n, K] → relationWeights [n, d, d], relationBiases [n, d]. Source: FuzzQE, "Relation Projection".
 */
function relationTables({ dimension: d, bases: count }: ModelConfig, trained: OfRelations): Tables {
  const { coefficients } = trained;
  const { bases, biasBases } = basesOf(trained);
  const rows = coefficients.shape[0]!;
  return {
    relationWeights: labelled(
      'W_r',
      reshape(matmul(coefficients, reshape(bases, [count, d * d])), [rows, d, d]),
    ),
    relationBiases: labelled('b_r', matmul(coefficients, biasBases)),
  };
}

/**
 * (4) Relation projection: `P_r(x) = g(LN(x W_r + b_r))`, one relation for each row.
 *
 * Shapes: x [n, d]; relationWeights [n, d, d], relationBiases [n, d] → [n, d] in [0,1].
 * Source: FuzzQE, "Relation Projection for Atomic Queries".
 */
function projectFrom(config: ModelConfig, x: Tensor, row: (table: string) => Tensor): Tensor {
  const d = config.dimension;
  const rows = x.shape[0]!;
  const each = reshape(projectionInput(config, x), [rows, 1, d]);
  const product = reshape(matmul(each, row('relationWeights')), [rows, d]);
  return projectionOutput(config, add(product, row('relationBiases')));
}

/**
 * (4) Relation projection of rows grouped by relation: one product with W_r for each group.
 *
 * It costs `groups·capacity·d²` instead of reading a `d×d` matrix for each row; results are equal.
 * Shapes: x [n, d]; relationWeights [groups, d, d], relationBiases [groups, d] → [n, d].
 */
function projectGroups(
  config: ModelConfig,
  tables: Tables,
  x: Tensor,
  groups: RowGroups,
  dropout: ProjectionDropout = noDropout,
): Tensor {
  const d = config.dimension;
  const [weights, bias] = [tables['relationWeights']!, tables['relationBiases']!];
  const gathered = regroup(projectionInput(config, dropout.input(x)), groups.rows, groups.places);
  const affine = add(matmul(gathered, weights), reshape(bias, [bias.shape[0]!, 1, d]));
  const back = regroup(affine, groups.places, groups.rows);
  return mapping(config.mapping, dropout.output(layerNorm(back, layerNormEpsilon)));
}

/**
 * (4) Relation projection without forming any W_r: `(α_r ⊗ x) M` as one matrix product over all rows.
 *
 * It costs `n·K·d²`, which is less than forming W_r where there are fewer rows than relations.
 * Shapes: coefficients [n, K], one row for each row of x [n, d]; bases [K, d, d], biasBases [K, d] → [n, d].
 */
function project(
  config: ModelConfig,
  trained: OfRelations,
  x: Tensor,
  dropout: ProjectionDropout = noDropout,
): Tensor {
  const { dimension: d, bases: count } = config;
  const rows = x.shape[0]!;
  const { coefficients } = trained;
  const { bases, biasBases } = basesOf(trained);
  const pairs = mul(
    reshape(coefficients, [rows, count, 1]),
    reshape(projectionInput(config, dropout.input(x)), [rows, 1, d]),
  );
  const product = matmul(reshape(pairs, [rows, count * d]), reshape(bases, [count * d, d]));
  const affine = add(product, matmul(coefficients, biasBases));
  return mapping(config.mapping, dropout.output(layerNorm(affine, layerNormEpsilon)));
}

const parameters = ({ entities, relations, dimension: d, bases: count }: ModelConfig): BasesShapes => ({
  entities: [entities, d],
  coefficients: [relations, count],
  bases: [count, d, d],
  biasBases: [count, d],
});

/** FuzzQE with a matrix for each relation, which bases of all relations make up: the paper's form. */
export const bases: Family = {
  name: 'bases',
  trains: ['entities', 'coefficients', 'bases', 'biasBases'],
  parameters,
  initialise: (config, random, name) =>
    (name === 'centred' ? centredParameters : paperParameters)(config, parameters(config), random),
  trained: (config) => config,
  entity: (config, x) => normalisedEntity(config, steepMapping(config, x)),
  project,
  projectGroups,
  projectFrom,
  logic: fuzzyLogic,
  scores,
  directions: (_, temperature, query) => mul(query, div(temperature, l2Norm(query, 1e-12))),
  compare: (config, query, factorOf) => compareProducts(config, mul(query, factorOf(l2Norm(query, 1e-12)))),
  hasDropout: true,
  addsUp: false,
  linkTemperature: 20,
  tables: ({ relations, dimension: d }) => [
    { name: 'relationWeights', shape: [relations, d, d] },
    { name: 'relationBiases', shape: [relations, d] },
  ],
  relationTables,
};
