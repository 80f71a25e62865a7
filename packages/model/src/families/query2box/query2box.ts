import {
  add,
  broadcastLike,
  minimum,
  mul,
  neg,
  scalar,
  sigmoid,
  slice,
  sub,
  sum,
  type Tensor,
} from '@fuzzqe/core/tensor';
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
import { attention, beside, layersShape, relu, startLayers, weighedMean } from '../attention.ts';
import { deepSets, type Seen, seenOf, seenTogether } from '../deep-sets.ts';
import { absolute, byDistances, lengthOfParts, sumsOfColumns } from '../distances.ts';
import type { Family } from '../family.ts';

/** α of (8): how much a distance within a box counts. Source: the configuration that the authors released. */
const insideWeight = 0.02;

/** How many vectors of m numbers an alternative has: those of `Box`. */
const partCount = 6;
const queryParts = mostAlternatives * partCount;

/** m: how many numbers a centre has. Throws as `lengthOfParts`. */
const sizeOf = (config: ModelConfig): number => lengthOfParts(config, queryParts);

/** An alternative, with what the gate saw. All but the first two are missing until a conjunction joins boxes. Shapes: [n, m] each. */
interface Box extends Seen {
  readonly centre: Tensor;
  readonly offset: Tensor;
  /** The logarithms of the weights of the centre. */
  readonly logWeights: Tensor;
  /** The least offset of the operands. */
  readonly least: Tensor;
}

/** Shapes: [n, 6m] → [n, m] each. */
function boxOf(x: Tensor): Box {
  const m = (x.shape[1] as number) / partCount;
  const part = (at: number): Tensor => slice(x, at * m, (at + 1) * m, 1);
  return {
    centre: part(0),
    offset: part(1),
    logWeights: part(2),
    least: part(3),
    seen: part(4),
    count: part(5),
  };
}

/** A box that is no conjunction. Shapes: [n, m] each → [n, 6m]. */
function closed(centre: Tensor, offset: Tensor): Tensor {
  const none = missing(centre);
  return beside(centre, offset, none, none, none, none);
}

/** (4) Of each alternative, a box that is moved and grows. Shapes: x [n, 6m] or [n, 12m], r [n, 2m]. */
function moved(x: Tensor, relation: Tensor): Tensor {
  const m = (relation.shape[1] as number) / 2;
  return eachAlternative(x, partCount * m, (each) => {
    const { centre, offset } = boxOf(each);
    return closed(add(centre, slice(relation, 0, m, 1)), add(offset, slice(relation, m, 2 * m, 1)));
  });
}

/** (5) The conjunction of two boxes, with the parts that a third operand needs. Shapes: [n, 6m] each. */
function joined(a: Box, b: Box, layers: { readonly attention: Tensor; readonly gate: Tensor }): Tensor {
  const opened = ({ centre, offset, logWeights, least, seen, count }: Box) => ({
    x: centre,
    logWeights: presentOr(logWeights, attention(layers.attention, centre)),
    least: presentOr(least, offset),
    ...seenOf(layers.gate, offset, { seen, count }),
  });
  const [left, right] = [opened(a), opened(b)];
  const { x, logWeights } = weighedMean(left, right);
  const least = minimum(left.least, right.least);
  const both = seenTogether(left, right);
  const offset = mul(least, sigmoid(deepSets(layers.gate, both)));
  return beside(x, offset, logWeights, least, both.seen, both.count);
}

/**
 * (8) δ(q, e), of the nearest alternative. Shapes: query [n, 6m] or [n, 12m], e [k, m] or [n, k, m] → [n, k].
 *
 * `max(x, 0) = (|x| + x) / 2`, so that all there is to sum is |e − c| and how far that is from o.
 */
function distances(config: ModelConfig, query: Tensor, entities: Tensor): Tensor {
  return leastOf(query, partCount * sizeOf(config), (each) => {
    const { centre, offset } = boxOf(each);
    const [far, fromSide] = sumsOfColumns([centre, offset], entities, ([c, o], e) => {
      const ofCentre = absolute(sub(e, c!));
      return [ofCentre, absolute(sub(ofCentre, o!))];
    });
    const outside = mul(add(fromSide!, sub(far!, sum(offset, [-1]))), scalar(0.5));
    // min(far, o) is the rest of far.
    const signed = add(mul(outside, scalar(1 - insideWeight)), mul(far!, scalar(insideWeight)));
    // Where o < 0, the rest is o for every entity. The distance counts −o instead.
    return add(signed, mul(sum(relu(neg(offset)), [-1]), scalar(2 * insideWeight)));
  });
}

/**
 * Query2Box: a query is a box, a relation moves it and lets it grow, and a conjunction is a smaller box.
 *
 * The vector of a query has d = 12m numbers: two alternatives of six vectors. The equations are those of docs/families.md.
 * Source: Ren, Hu and Leskovec, "Query2Box: Reasoning over Knowledge Graphs in Vector Space using Box Embeddings", ICLR 2020.
 */
export const query2box: Family = {
  name: 'query2box',
  queryParts,
  trains: ['entities', 'coefficients', 'setAttention', 'setGate'],
  parameters(config) {
    const m = sizeOf(config);
    return {
      entities: [config.entities, m],
      coefficients: [config.relations, 2 * m],
      setAttention: layersShape(m),
      setGate: layersShape(m),
    };
  },
  initialise(config, random) {
    const m = sizeOf(config);
    const spread = 26 / m;
    const stream = (name: string) => random.fork('parameters', name);
    const coefficients = filled(
      [config.relations, 2 * m],
      stream('coefficients'),
      (r) => spread * r.uniform(),
    );
    // Centres lie on both sides of 0, offsets above it.
    for (let at = 0; at < coefficients.length; at += 1)
      if (at % (2 * m) < m) coefficients[at] = 2 * coefficients[at]! - spread;
    return {
      entities: filled([config.entities, m], stream('entities'), (r) => spread * (2 * r.uniform() - 1)),
      coefficients,
      setAttention: startLayers(m, stream('setAttention')),
      setGate: startLayers(m, stream('setGate')),
    };
  },
  entity: (_, x) => x,
  anchor(_, vectors, alternatives) {
    const point = closed(vectors, broadcastLike(scalar(0), vectors));
    return alternatives === 1 ? point : alone(point);
  },
  project: (_, { coefficients }, x) => moved(x, coefficients),
  projectFrom: (_, x, row) => moved(x, row('relationVectors')),
  logic(config, { setAttention, setGate }) {
    const layers = { attention: setAttention!, gate: setGate! };
    const join = (a: Tensor, b: Tensor): Tensor => joined(boxOf(a), boxOf(b), layers);
    return { name: config.logic, ...logicOfAlternatives(partCount * sizeOf(config), join) };
  },
  ...byDistances(distances),
  tables(config) {
    const m = sizeOf(config);
    return [
      { name: 'relationVectors', shape: [config.relations, 2 * m] },
      { name: 'setAttention', shape: layersShape(m), isShared: true },
      { name: 'setGate', shape: layersShape(m), isShared: true },
    ];
  },
  relationTables: (_, { coefficients, setAttention, setGate }) => ({
    relationVectors: coefficients,
    setAttention: setAttention!,
    setGate: setGate!,
  }),
};
