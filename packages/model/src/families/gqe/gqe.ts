import { add, slice, sub, type Tensor } from '@fuzzqe/core/tensor';
import type { ModelConfig } from '../../config/config.ts';
import { filled } from '../../config/filled.ts';
import { alone, eachAlternative, leastOf, logicOfAlternatives, missing, presentOr } from '../alternatives.ts';
import { attention, beside, layersShape, startLayers, type Weighed, weighedMean } from '../attention.ts';
import { absolute, byDistances, lengthOfParts, sumsOfColumns } from '../distances.ts';
import type { Family } from '../family.ts';

/** How far elements of points and translations start from 0: as far as a distance of 24 + 2 has its share for each. */
const spreadOf = (m: number): number => 26 / m;

/** m: how many numbers a point has. Throws as `lengthOfParts`. */
const sizeOf = (config: ModelConfig): number => lengthOfParts(config, 4);

/** A point as an alternative, whose weights are missing. Shapes: [n, m] → [n, 2m]. */
const closed = (point: Tensor): Tensor => beside(point, missing(point));

/** (4) `P_r(q) = q + r`, of each alternative. Shapes: x [n, 2m] or [n, 4m], r [n, m]. */
function translated(x: Tensor, relation: Tensor): Tensor {
  const m = relation.shape[1] as number;
  return eachAlternative(x, 2 * m, (each) => closed(add(slice(each, 0, m, 1), relation)));
}

/** δ(q, e) = ‖e − q‖₁, of the nearest alternative. Shapes: query [n, 2m] or [n, 4m], e [k, m] or [n, k, m] → [n, k]. */
function distances(config: ModelConfig, query: Tensor, entities: Tensor): Tensor {
  const m = sizeOf(config);
  return leastOf(query, 2 * m, (each) => {
    const [distance] = sumsOfColumns([slice(each, 0, m, 1)], entities, ([q], e) => [absolute(sub(e, q!))]);
    return distance!;
  });
}

/**
 * GQE: a query is a point, a relation a translation, and a conjunction the mean of points by attention.
 *
 * The vector of a query has d = 4m numbers: two alternatives, each a point in ℝ^m and the logarithms of the weights of its elements.
 * A conjunction makes weighed means. The equations are those of docs/families.md.
 * Source: Hamilton et al., "Embedding Logical Queries on Knowledge Graphs", NeurIPS 2018, with the score and the attention of the
 * reimplementation by Ren and Leskovec, "Beta Embeddings", NeurIPS 2020.
 */
export const gqe: Family = {
  name: 'gqe',
  trains: ['entities', 'coefficients', 'setAttention'],
  parameters: (config) => ({
    entities: [config.entities, sizeOf(config)],
    coefficients: [config.relations, sizeOf(config)],
    setAttention: layersShape(sizeOf(config)),
  }),
  initialise(config, random) {
    const shapes = gqe.parameters(config);
    const spread = spreadOf(sizeOf(config));
    const drawn = (name: 'entities' | 'coefficients'): Float32Array =>
      filled(shapes[name], random.fork('parameters', name), (r) => spread * (2 * r.uniform() - 1));
    return {
      entities: drawn('entities'),
      coefficients: drawn('coefficients'),
      setAttention: startLayers(sizeOf(config), random.fork('parameters', 'setAttention')),
    };
  },
  entity: (_, x) => x,
  anchor: (_, vectors, alternatives) => {
    const point = closed(vectors);
    return alternatives === 1 ? point : alone(point);
  },
  project: (_, { coefficients }, x) => translated(x, coefficients),
  projectFrom: (_, x, row) => translated(x, row('relationVectors')),
  logic(config, { setAttention }) {
    const m = sizeOf(config);
    const weighed = (each: Tensor): Weighed => {
      const x = slice(each, 0, m, 1);
      return { x, logWeights: presentOr(slice(each, m, 2 * m, 1), attention(setAttention!, x)) };
    };
    const operators = logicOfAlternatives(2 * m, (a, b) => {
      const { x, logWeights } = weighedMean(weighed(a), weighed(b));
      return beside(x, logWeights);
    });
    return { name: config.logic, ...operators };
  },
  ...byDistances(distances),
  tables: (config) => [
    { name: 'relationVectors', shape: [config.relations, sizeOf(config)] },
    { name: 'setAttention', shape: layersShape(sizeOf(config)), isShared: true },
  ],
  relationTables: (_, { coefficients, setAttention }) => ({
    relationVectors: coefficients,
    setAttention: setAttention!,
  }),
};
