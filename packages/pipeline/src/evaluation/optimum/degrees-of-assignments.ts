import { FuzzError } from '@fuzzqe/core';
import type { Query } from '@fuzzqe/core/query';
import { highest } from '@fuzzqe/core/ranking';
import type { LinkRows } from './link-rows.ts';

/** A t-norm: the degree of two atoms together. */
export const normNames = ['product', 'min'] as const;
export type NormName = (typeof normNames)[number];

/** How assignments of entities to the variables of a query are rated, and how the best ones are found. */
export interface OptimumWay {
  /** The t-norm ⊤, whose t-conorm ⊥ rates ∨: `a b` and `a + b − a b`, or min and max. */
  readonly norm: NormName;
  /** How many entities a variable keeps, best first. Default: all, so that the best assignment is found. */
  readonly beam?: number;
  /** The degree of a negated atom, in [0, 1]. */
  negated(degree: number): number;
  /** Whether ¬ negates the last link before it. Otherwise ¬ negates the best assignment of its operand. */
  readonly negatesLinks: boolean;
}

type Join = (a: number, b: number) => number;
const norms: Readonly<Record<NormName, { readonly and: Join; readonly or: Join }>> = {
  product: { and: (a, b) => a * b, or: (a, b) => a + b - a * b },
  min: { and: Math.min, or: Math.max },
};

/** Links of so many heads lie in memory together. */
const headsAtOnce = 64;

/**
 * The degree of every entity as answer: that of the best assignment of entities to the other variables.
 *
 * With `T(v)` for the best degree of the part of a query below v:
 * - `T(P_r(q))(t) = max_h T(q)(h) ⊤ r(h, t)`, over the `beam` entities of highest degree;
 * - `T(q₁ ∧ q₂) = T(q₁) ⊤ T(q₂)` and `T(q₁ ∨ q₂) = T(q₁) ⊥ T(q₂)`;
 * - `T(¬P_r(q))(t) = max_h T(q)(h) ⊤ ¬r(h, t)` with `negatesLinks`, otherwise `¬T(P_r(q))(t)`.
 *
 * A query is a tree and ⊤ grows with each operand, so with all entities this is the maximum over all assignments.
 * Shapes: → [|E|] in [0, 1].
 * Source: Bai et al., "Answering Complex Logical Queries on Knowledge Graphs via Query Computation Tree Optimization", ICML 2023,
 * section 3; with a beam Arakelyan et al., "Complex Query Answering with Neural Link Predictors", ICLR 2021, section 3.
 *
 * @throws FuzzError `range`: an entity that the graph does not have.
 */
export async function degreesOfAssignments(
  links: LinkRows,
  way: OptimumWay,
  query: Query,
): Promise<Float32Array> {
  const { norm, beam = links.entityCount, negated, negatesLinks } = way;
  const { and, or } = norms[norm];
  const best = async (node: Query): Promise<Float32Array> => {
    switch (node.op) {
      case 'entity':
        return only(node.entity, links.entityCount);
      case 'project':
        return hop(await best(node.from), node.relation, (degree) => degree);
      case 'not': {
        const { operand } = node;
        return negatesLinks && operand.op === 'project'
          ? hop(await best(operand.from), operand.relation, negated)
          : (await best(operand)).map(negated);
      }
      default: {
        const join = node.op === 'and' ? and : or;
        const joined = Float32Array.from(await best(node.operands[0]!));
        for (const operand of node.operands.slice(1)) {
          const other = await best(operand);
          for (let e = 0; e < joined.length; e += 1) joined[e] = join(joined[e]!, other[e]!);
        }
        return joined;
      }
    }
  };
  const hop = async (
    from: Float32Array,
    relation: number,
    rated: (degree: number) => number,
  ): Promise<Float32Array> => {
    const reached = new Float32Array(links.entityCount);
    const heads = highest(from, beam);
    for (let start = 0; start < heads.length; start += headsAtOnce) {
      const some = heads.subarray(start, start + headsAtOnce);
      for (const [i, row] of (await links.rows(some, relation)).entries()) {
        const degree = from[some[i]!]!;
        for (let t = 0; t < reached.length; t += 1) {
          const value = and(degree, rated(row[t]!));
          if (value > reached[t]!) reached[t] = value;
        }
      }
    }
    return reached;
  };
  return best(query);
}

/** The set of one entity. */
function only(entity: number, entityCount: number): Float32Array {
  if (entity >= entityCount)
    throw new FuzzError('range', `entity: expected an id below ${entityCount}, got ${entity}`);
  const degrees = new Float32Array(entityCount);
  degrees[entity] = 1;
  return degrees;
}
