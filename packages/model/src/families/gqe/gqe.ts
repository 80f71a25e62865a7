import type { Random } from '@fuzzqe/core';
import { add, slice, sub, type Tensor } from '@fuzzqe/core/tensor';
import type { ModelConfig } from '../../config/config.ts';
import { filled } from '../../config/filled.ts';
import {
  alone,
  eachAlternative,
  leastOf,
  logicOfAlternatives,
  missing,
  mostAlternatives,
  presentOr,
} from '../alternatives.ts';
import { attention, beside, layersShape, startLayers, type Weighed, weighedMean } from '../attention.ts';
import { deepSets, type Seen, seenOf, seenTogether, startMean } from '../deep-sets.ts';
import { absolute, byDistances, lengthOfParts, sumsOfColumns } from '../distances.ts';
import type { Family } from '../family.ts';

/** How far elements of points and translations start from 0: as far as a distance of 24 + 2 has its share for each. */
const spreadOf = (m: number): number => 26 / m;

type GqeName = 'gqe' | 'gqeDeepSets';

/** The conjunction of a family, and what it makes an alternative keep. */
interface Conjunction {
  /** How many vectors of m numbers an alternative has: a point, then what a third operand needs, missing until points are joined. */
  readonly parts: number;
  /** The tensor with its layers. */
  readonly layers: 'setAttention' | 'setGate';
  /** The layers to start training from, given how far points start from 0. */
  start(m: number, spread: number, random: Random): Float32Array;
  /** (5) Of two alternatives, given as their parts. Shapes: [n, m] each. */
  join(layers: Tensor, a: readonly Tensor[], b: readonly Tensor[]): readonly Tensor[];
}

const conjunctions: Readonly<Record<GqeName, Conjunction>> = {
  gqe: {
    parts: 2,
    layers: 'setAttention',
    start: (m, _, random) => startLayers(m, random),
    join(layers, a, b) {
      const weighed = ([x, logWeights]: readonly Tensor[]): Weighed => ({
        x: x!,
        logWeights: presentOr(logWeights!, attention(layers, x!)),
      });
      const { x, logWeights } = weighedMean(weighed(a), weighed(b));
      return [x, logWeights];
    },
  },
  gqeDeepSets: {
    parts: 3,
    layers: 'setGate',
    start: startMean,
    join(layers, a, b) {
      const opened = ([x, seen, count]: readonly Tensor[]): Seen =>
        seenOf(layers, x!, { seen: seen!, count: count! });
      const both = seenTogether(opened(a), opened(b));
      return [deepSets(layers, both), both.seen, both.count];
    },
  },
};

/** A family of GQE: the two differ in ∧. */
function family(name: GqeName): Family {
  const { parts, layers, start, join } = conjunctions[name];
  const queryParts = mostAlternatives * parts;

  /** m: how many numbers a point has. Throws as `lengthOfParts`. */
  const sizeOf = (config: ModelConfig): number => lengthOfParts(config, queryParts);

  /** A point as an alternative that is no conjunction. Shapes: [n, m] → [n, parts · m]. */
  const closed = (point: Tensor): Tensor =>
    beside(point, ...Array.from({ length: parts - 1 }, () => missing(point)));

  /** (4) `P_r(q) = q + r`, of each alternative. Shapes: x [n, d / 2] or [n, d], r [n, m]. */
  const translated = (x: Tensor, relation: Tensor): Tensor => {
    const m = relation.shape[1] as number;
    return eachAlternative(x, parts * m, (each) => closed(add(slice(each, 0, m, 1), relation)));
  };

  /** δ(q, e) = ‖e − q‖₁, of the nearest alternative. Shapes: query [n, d / 2] or [n, d], e [k, m] or [n, k, m] → [n, k]. */
  const distances = (config: ModelConfig, query: Tensor, entities: Tensor): Tensor => {
    const m = sizeOf(config);
    return leastOf(query, parts * m, (each) => {
      const [distance] = sumsOfColumns([slice(each, 0, m, 1)], entities, ([q], e) => [absolute(sub(e, q!))]);
      return distance!;
    });
  };

  const self: Family = {
    name,
    queryParts,
    trains: ['entities', 'coefficients', layers],
    parameters: (config) => ({
      entities: [config.entities, sizeOf(config)],
      coefficients: [config.relations, sizeOf(config)],
      [layers]: layersShape(sizeOf(config)),
    }),
    initialise(config, random) {
      const shapes = self.parameters(config);
      const m = sizeOf(config);
      const spread = spreadOf(m);
      const drawn = (of: 'entities' | 'coefficients'): Float32Array =>
        filled(shapes[of], random.fork('parameters', of), (r) => spread * (2 * r.uniform() - 1));
      return {
        entities: drawn('entities'),
        coefficients: drawn('coefficients'),
        [layers]: start(m, spread, random.fork('parameters', layers)),
      };
    },
    entity: (_, x) => x,
    anchor: (_, vectors, alternatives) => {
      const point = closed(vectors);
      return alternatives === 1 ? point : alone(point);
    },
    project: (_, { coefficients }, x) => translated(x, coefficients),
    projectFrom: (_, x, row) => translated(x, row('relationVectors')),
    logic(config, shared) {
      const m = sizeOf(config);
      const partsOf = (each: Tensor): readonly Tensor[] =>
        Array.from({ length: parts }, (_, at) => slice(each, at * m, (at + 1) * m, 1));
      const operators = logicOfAlternatives(parts * m, (a, b) =>
        beside(...join(shared[layers]!, partsOf(a), partsOf(b))),
      );
      return { name: config.logic, ...operators };
    },
    ...byDistances(distances),
    tables: (config) => [
      { name: 'relationVectors', shape: [config.relations, sizeOf(config)] },
      { name: layers, shape: layersShape(sizeOf(config)), isShared: true },
    ],
    relationTables: (_, trained) => ({ relationVectors: trained.coefficients, [layers]: trained[layers]! }),
  };
  return self;
}

/**
 * GQE: a query is a point, a relation a translation, and a conjunction the mean of points by attention.
 *
 * The vector of a query has d = 4m numbers: two alternatives, each a point in ℝ^m and the logarithms of the weights of its elements.
 * A conjunction makes weighed means. The equations are those of docs/families.md.
 * Source: Hamilton et al., "Embedding Logical Queries on Knowledge Graphs", NeurIPS 2018, with the score and the attention of the
 * reimplementation by Ren and Leskovec, "Beta Embeddings", NeurIPS 2020.
 */
export const gqe: Family = family('gqe');

/**
 * GQE with the conjunction of its first paper: a network of each point, their mean, and a matrix.
 *
 * The vector of a query has d = 6m numbers: two alternatives, each a point, the sum of the first layer over its operands and their number.
 * Source: Hamilton et al., as above, section 4.
 */
export const gqeDeepSets: Family = family('gqeDeepSets');
