import type { AdjacencyIndex } from '../kg/adjacency.ts';
import { inverseOf, type RelationId } from '../kg/ids.ts';
import { findGroup } from '../kg/knowledge-graph.ts';

/** How many pairs of an attribute and an entity that has it are looked at for one entity: what thousands share says little. */
const mostPairs = 2 ** 12;

/** How many attributes of an entity are looked at: it may have millions. */
const mostAttributes = 2 ** 12;

/**
 * How similar entities are by their recorded facts: cosines of attribute vectors.
 *
 * An attribute of h is a fact without it, (r, t) of (h, r, t), facts backwards included. It weighs `ln(|E| / n)`, n entities having it, so
 * that `cos(h, h') = Σ ln²(|E| / n) / (‖h‖ ‖h'‖)` over the attributes that both have. Of h the first 2¹² by relation and tail are
 * looked at, of these the rarest, of equally rare ones the first, up to 2¹² pairs of an attribute and an entity that has it.
 *
 * Time: the pairs of an entity and the others; once for each graph, all facts. Memory: 12 bytes an entity.
 * Shapes: others [n] → [n] in [0, 1], in single precision; 0 where nothing is shared.
 * Source: the inverse document frequency of Spärck Jones (1972), on attributes as of Das et al., "A Simple Approach to Case-Based Reasoning
 * in Knowledge Bases", AKBC 2020.
 */
export function similarities(index: AdjacencyIndex, entity: number, others: Int32Array): Float32Array {
  const { groupOffsets, tails } = index;
  const kept = attributesOf(index);
  const { lengths, weights, products } = kept;
  const groups = rarestAttributes(index, entity, kept);
  for (const group of groups) {
    const [first, end] = [groupOffsets[group]!, groupOffsets[group + 1]!];
    const weight = weights[end - first]!;
    for (let edge = first; edge < end; edge += 1) products[tails[edge]!]! += weight;
  }
  const length = lengths[entity]!;
  const cosines = new Float32Array(others.length);
  for (let i = 0; i < others.length; i += 1) {
    const other = others[i]!;
    const product = products[other]!;
    if (product > 0) cosines[i] = product / Math.sqrt(length * lengths[other]!);
  }
  for (const group of groups)
    for (let edge = groupOffsets[group]!; edge < groupOffsets[group + 1]!; edge += 1)
      products[tails[edge]!] = 0;
  return cosines;
}

/** What is kept of a graph's attributes. */
interface Attributes {
  /** ‖h‖² [|E|]. */
  readonly lengths: Float32Array;
  /** The squared weight of an attribute by how many entities have it. */
  readonly weights: Float32Array;
  /** [|E|], zeros between two uses. */
  readonly products: Float64Array;
  /** Groups of the attributes of an entity, and numbers to sort them by. Shapes: 2¹² each. */
  readonly groups: Int32Array;
  readonly ranks: Float64Array;
}

const measured = new WeakMap<AdjacencyIndex, Attributes>();

function attributesOf(index: AdjacencyIndex): Attributes {
  const known = measured.get(index) ?? measure(index);
  measured.set(index, known);
  return known;
}

function measure({ headOffsets, groupRelations, groupOffsets, tails }: AdjacencyIndex): Attributes {
  const entityCount = headOffsets.length - 1;
  let largest = 0;
  for (let group = 0; group < groupRelations.length; group += 1)
    largest = Math.max(largest, groupOffsets[group + 1]! - groupOffsets[group]!);
  const weights = new Float32Array(largest + 1);
  for (let entities = 1; entities <= largest; entities += 1)
    weights[entities] = Math.log(entityCount / entities) ** 2;
  // Who has the attribute (r, t) are the tails of the group (t, r⁻¹).
  const squares = new Float64Array(entityCount);
  for (let group = 0; group < groupRelations.length; group += 1) {
    const [first, end] = [groupOffsets[group]!, groupOffsets[group + 1]!];
    const weight = weights[end - first]!;
    for (let edge = first; edge < end; edge += 1) squares[tails[edge]!]! += weight;
  }
  return {
    lengths: Float32Array.from(squares),
    weights,
    products: new Float64Array(entityCount),
    groups: new Int32Array(mostAttributes),
    ranks: new Float64Array(mostAttributes),
  };
}

/** The groups (t, r⁻¹) of the attributes (r, t) of an entity, the smallest first, as many as are looked at. */
function rarestAttributes(
  index: AdjacencyIndex,
  entity: number,
  { groups, ranks }: Pick<Attributes, 'groups' | 'ranks'>,
): Int32Array {
  const { headOffsets, groupRelations, groupOffsets, tails } = index;
  const end = headOffsets[entity + 1]!;
  let count = 0;
  for (let group = headOffsets[entity]!; group < end; group += 1) {
    // Relations of an index are relations of the graph.
    const inverse = inverseOf(groupRelations[group]! as RelationId);
    for (
      let edge = groupOffsets[group]!;
      edge < groupOffsets[group + 1]! && count < mostAttributes;
      edge += 1
    )
      groups[count++] = findGroup(index, tails[edge]!, inverse);
  }
  // By size and then by place, in one number each: to sort numbers takes a fraction of what a comparison by a function does.
  for (let place = 0; place < count; place += 1) {
    const group = groups[place]!;
    ranks[place] = (groupOffsets[group + 1]! - groupOffsets[group]!) * mostAttributes + place;
  }
  const order = ranks.subarray(0, count).sort();
  const rarest = new Int32Array(count);
  let [taken, pairs] = [0, 0];
  for (; taken < count; taken += 1) {
    const rank = order[taken]!;
    pairs += Math.floor(rank / mostAttributes);
    if (pairs > mostPairs) break;
    rarest[taken] = groups[rank % mostAttributes]!;
  }
  return rarest.subarray(0, taken);
}
