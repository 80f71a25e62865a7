import type { Logic } from '@fuzzqe/core/logic';
import {
  add,
  broadcastLike,
  concat,
  type Dim,
  digamma,
  div,
  lgamma,
  matmul,
  maximum,
  minimum,
  mul,
  reshape,
  scalar,
  slice,
  sub,
  sum,
  type Tensor,
  transpose,
  where,
} from '@fuzzqe/core/tensor';
import type { ModelConfig } from '../../config/config.ts';
import { filled } from '../../config/filled.ts';
import type { ParameterName } from '../../config/of-parameters.ts';
import {
  alone,
  alternativesOf,
  eachAlternative,
  isAbsent,
  logicOfAlternatives,
  missing,
  presentOr,
} from '../alternatives.ts';
import { beside, relu, type Weighed, weighedMean } from '../attention.ts';
import { byDistances, lengthOfParts } from '../distances.ts';
import type { Family, FamilyTable, SharedTensors } from '../family.ts';
import { type BetaLayer, dense, layerShapes, startLayer } from './layers.ts';

/** How small and how large α and β are. The paper's largest is 10⁹, which float32 and `missing` do not allow. */
const range = [0.05, 1e5] as const;

/** How far entities and relations start from 0, at most. */
const largestSpread = 0.5;

const layerNames = Object.keys(layerShapes(1)) as readonly BetaLayer[];

type BetaName = 'betae' | 'betaeDm';

/** How many vectors of m numbers a query has: α, β and the logarithms of their weights, for each alternative. */
const partsOf = ({ relationForm }: Pick<ModelConfig, 'relationForm'>): number =>
  relationForm === 'betae' ? 8 : 4;

/** m: how many Beta distributions a vector has. Throws as `lengthOfParts`. */
const sizeOf = (config: Pick<ModelConfig, 'dimension' | 'relationForm'>): number =>
  lengthOfParts(config, partsOf(config));

/** α and β of free numbers: `min(max(x + 1, 0.05), 10⁵)`. */
const positive = (x: Tensor): Tensor =>
  minimum(scalar(range[1]), maximum(scalar(range[0]), add(x, scalar(1))));

/** `Σ_i ln B(α_i, β_i)`. Shapes: (α, β) [n, 2m] → [n, 1]. */
function logBeta(shapes: Tensor): Tensor {
  const m = (shapes.shape[1] as number) / 2;
  return sub(sum(lgamma(shapes), [-1]), sum(lgamma(sumOf(shapes, m)), [-1]));
}

/** α + β. Shapes: [n, 2m] → [n, m]. */
const sumOf = (shapes: Tensor, m: number): Tensor => add(slice(shapes, 0, m, 1), slice(shapes, m, 2 * m, 1));

/**
 * (1) The vector of an entity: (α, β), then `−E ln X` and `−E ln(1 − X)`, then minus the entropy of all its distributions.
 *
 * With these numbers a distance is a product of vectors. Shapes: [n, 2m] → [n, 4m + 1].
 */
function entity(x: Tensor): Tensor {
  const m = (x.shape[1] as number) / 2;
  const shapes = positive(x);
  const ofSum = digamma(sumOf(shapes, m));
  const surprises = sub(beside(ofSum, ofSum), digamma(shapes));
  const expected = add(sum(mul(sub(shapes, scalar(1)), surprises), [-1]), logBeta(shapes));
  return beside(shapes, surprises, sub(scalar(0), expected));
}

/** A vector that is no conjunction. Shapes: (α, β) [n, 2m] → [n, 4m]. */
const closed = (shapes: Tensor): Tensor => beside(shapes, missing(shapes));

/** (4) `MLP(α, β, r)`, of each alternative. Shapes: x [n, 4m] or [n, 8m], r [n, m]. */
function hop(x: Tensor, relation: Tensor, { hopInput, hopHidden, hopOutput }: SharedTensors): Tensor {
  const m = relation.shape[1] as number;
  return eachAlternative(x, 4 * m, (each) => {
    const first = relu(dense(hopInput!, beside(slice(each, 0, 2 * m, 1), relation)));
    return closed(positive(dense(hopOutput!, relu(dense(hopHidden!, first)))));
  });
}

/** (5) The logarithms of the weights in a conjunction, `relu(x W₁ + b₁) W₂`, for α and again for β. Shapes: x [n, 2m] → the same. */
function attention(layers: Tensor, x: Tensor): Tensor {
  const inputs = x.shape[1] as number;
  const [first, second] = [slice(layers, 0, inputs, 1), slice(layers, inputs, 1.5 * inputs, 1)];
  const logs = matmul(relu(dense(first, x)), slice(second, 0, inputs, 0));
  return beside(logs, logs);
}

/** (5) The conjunction of two alternatives, with its weights. Shapes: [n, 4m] each. */
function joined(a: Tensor, b: Tensor, layers: Tensor): Tensor {
  const width = a.shape[1] as number;
  const weighed = (each: Tensor): Weighed => {
    const x = slice(each, 0, width / 2, 1);
    return { x, logWeights: presentOr(slice(each, width / 2, width, 1), attention(layers, x)) };
  };
  const { x, logWeights } = weighedMean(weighed(a), weighed(b));
  return beside(x, logWeights);
}

/** (7) `1/α, 1/β`, of the first alternative: the structures negate no disjunction. Shapes: [..., d] → the same. */
function negated(x: Tensor, m: number): Tensor {
  const axis = x.shape.length - 1;
  const rest = slice(x, 2 * m, x.shape[axis] as number, axis);
  return concat([div(scalar(1), slice(x, 0, 2 * m, axis)), missing(rest)], axis);
}

function logic(config: ModelConfig, { setAttention }: SharedTensors): Logic {
  const m = sizeOf(config);
  const join = (a: Tensor, b: Tensor): Tensor => joined(a, b, setAttention!);
  const negation = (x: Tensor): Tensor => negated(x, m);
  const operators =
    config.relationForm === 'betae'
      ? logicOfAlternatives(4 * m, join)
      : {
          conjunction: join,
          disjunction: (a: Tensor, b: Tensor) => negation(join(negation(a), negation(b))),
        };
  return { name: config.logic, ...operators, negation };
}

/**
 * (8) `δ(q, e) = Σ_i KL(e_i ; q_i)`, of the nearest alternative: `−H(e) + ln B(q) + (α_q − 1)·(−E ln X) + (β_q − 1)·(−E ln(1 − X))`.
 *
 * Shapes: query [n, 4m] or [n, 8m], e [k, 4m + 1] or [n, k, 4m + 1] → [n, k].
 */
function distances(config: ModelConfig, query: Tensor, entities: Tensor): Tensor {
  const m = sizeOf(config);
  const axis = entities.shape.length - 1;
  const moments = slice(entities, 2 * m, 4 * m + 1, axis);
  const [rows, count] = [query.shape[0], entities.shape[axis - 1]] as [Dim, Dim];
  const distance = (each: Tensor): Tensor => {
    const shapes = slice(each, 0, 2 * m, 1);
    const logs = logBeta(shapes);
    const factors = beside(sub(shapes, scalar(1)), broadcastLike(scalar(1), logs));
    const products =
      axis === 1
        ? matmul(factors, transpose(moments, [1, 0]))
        : reshape(matmul(moments, reshape(factors, [rows, 2 * m + 1, 1])), [rows, count]);
    // Rounding alone makes a distance negative.
    return maximum(scalar(0), add(products, logs));
  };
  const [first, second] = alternativesOf(query, 4 * m) as [Tensor, Tensor?];
  if (second === undefined) return distance(first);
  const [near, other] = [distance(first), distance(second)];
  return minimum(near, where(isAbsent(second), near, other));
}

/** A family of BetaE: the two differ in ∨. */
function family(name: BetaName): Family {
  const self: Family = {
    name,
    queryParts: partsOf({ relationForm: name }),
    trains: ['entities', 'coefficients', ...layerNames],
    parameters(config) {
      const m = sizeOf(config);
      return {
        entities: [config.entities, 2 * m],
        coefficients: [config.relations, m],
        ...layerShapes(m),
      };
    },
    entityWidth: (config) => 4 * sizeOf(config) + 1,
    initialise(config, random) {
      const m = sizeOf(config);
      const shapes = self.parameters(config);
      const spread = Math.min(62 / m, largestSpread);
      const stream = (of: ParameterName) => random.fork('parameters', of);
      const drawn = (of: 'entities' | 'coefficients'): Float32Array =>
        filled(shapes[of], stream(of), (r) => spread * (2 * r.uniform() - 1));
      const layers = layerNames.map((of) => [of, startLayer(m, of, stream(of))]);
      return {
        entities: drawn('entities'),
        coefficients: drawn('coefficients'),
        ...(Object.fromEntries(layers) as Record<BetaLayer, Float32Array>),
      };
    },
    entity: (_, x) => entity(x),
    anchor(config, vectors, alternatives) {
      const vector = closed(slice(vectors, 0, 2 * sizeOf(config), 1));
      return alternatives === 2 && name === 'betae' ? alone(vector) : vector;
    },
    project: (_, trained, x) => hop(x, trained.coefficients, trained),
    projectFrom: (_, x, row, shared) => hop(x, row('relationVectors'), shared),
    logic,
    ...byDistances(distances),
    tables(config) {
      const m = sizeOf(config);
      const layer = (of: BetaLayer): FamilyTable => ({ name: of, shape: layerShapes(m)[of], isShared: true });
      const relations = { name: 'relationVectors', shape: [config.relations, m] };
      return [layer('hopHidden'), layer('hopInput'), layer('hopOutput'), relations, layer('setAttention')];
    },
    relationTables: (_, { coefficients, ...layers }) => ({ relationVectors: coefficients, ...layers }),
  };
  return self;
}

/**
 * BetaE: a query is m Beta distributions, a relation changes their parameters by three layers, and a conjunction is their weighed product.
 *
 * The vector of a query has d = 8m numbers: two alternatives, each α, β and the logarithms of the weights of a conjunction.
 * The equations are those of docs/families.md.
 * Source: Ren and Leskovec, "Beta Embeddings for Multi-Hop Logical Reasoning in Knowledge Graphs", NeurIPS 2020.
 */
export const betae: Family = family('betae');

/** BetaE with `a ∨ b = ¬(¬a ∧ ¬b)`: a query of any shape is one alternative, of d = 4m numbers. Source: as `betae`. */
export const betaeDm: Family = family('betaeDm');
