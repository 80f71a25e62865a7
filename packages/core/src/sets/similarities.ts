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
 * looked at, of these the rarest, up to 2¹² pairs of an attribute and an entity that has it.
 *
 * Time: the pairs of an entity and the others; once for each graph, all facts. Memory: 12 bytes an entity.
 * Shapes: others [n] → [n] in [0, 1], in single precision; 0 where nothing is shared.
 * Source: the inverse document frequency of Spärck Jones (1972), on attributes as of Das et al., "A Simple Approach to Case-Based Reasoning
 * in Knowledge Bases", AKBC 2020.
 */
export function similarities(index: AdjacencyIndex, entity: number, others: Int32Array): Float32Array {
  const { groupOffsets, tails } = index;
  const { lengths, products, weightOf } = attributesOf(index);
  const attributes = rarestAttributes(index, entity);
  for (const group of attributes) {
    const [first, end] = [groupOffsets[group]!, groupOffsets[group + 1]!];
    const weight = weightOf(end - first);
    for (let edge = first; edge < end; edge += 1) products[tails[edge]!]! += weight;
  }
  const length = lengths[entity]!;
  const cosines = new Float32Array(others.length);
  for (let i = 0; i < others.length; i += 1) {
    const other = others[i]!;
    const product = products[other]!;
    if (product > 0) cosines[i] = product / Math.sqrt(length * lengths[other]!);
  }
  for (const group of attributes)
    for (let edge = groupOffsets[group]!; edge < groupOffsets[group + 1]!; edge += 1)
      products[tails[edge]!] = 0;
  return cosines;
}

/** What is kept of a graph's attributes. */
interface Attributes {
  /** ‖h‖² [|E|]. */
  readonly lengths: Float32Array;
  /** [|E|], zeros between two uses. */
  readonly products: Float64Array;
  /** The squared weight of an attribute that so many entities have. */
  weightOf(entities: number): number;
}

const measured = new WeakMap<AdjacencyIndex, Attributes>();

function attributesOf(index: AdjacencyIndex): Attributes {
  const known = measured.get(index) ?? measure(index);
  measured.set(index, known);
  return known;
}

function measure({ headOffsets, groupRelations, groupOffsets, tails }: AdjacencyIndex): Attributes {
  const entityCount = headOffsets.length - 1;
  const weightOf = (entities: number): number => Math.fround(Math.log(entityCount / entities) ** 2);
  // Who has the attribute (r, t) are the tails of the group (t, r⁻¹).
  const squares = new Float64Array(entityCount);
  for (let group = 0; group < groupRelations.length; group += 1) {
    const [first, end] = [groupOffsets[group]!, groupOffsets[group + 1]!];
    const weight = weightOf(end - first);
    for (let edge = first; edge < end; edge += 1) squares[tails[edge]!]! += weight;
  }
  return { lengths: Float32Array.from(squares), products: new Float64Array(entityCount), weightOf };
}

/** The groups (t, r⁻¹) of the attributes (r, t) of an entity, the smallest first, as many as are looked at. */
function rarestAttributes(index: AdjacencyIndex, entity: number): readonly number[] {
  const { headOffsets, groupRelations, groupOffsets, tails } = index;
  const groups: number[] = [];
  for (let group = headOffsets[entity]!; group < headOffsets[entity + 1]!; group += 1) {
    // Relations of an index are relations of the graph.
    const inverse = inverseOf(groupRelations[group]! as RelationId);
    for (let edge = groupOffsets[group]!; edge < groupOffsets[group + 1]!; edge += 1)
      if (groups.length < mostAttributes) groups.push(findGroup(index, tails[edge]!, inverse));
  }
  const sizeOf = (group: number): number => groupOffsets[group + 1]! - groupOffsets[group]!;
  groups.sort((a, b) => sizeOf(a) - sizeOf(b) || a - b);
  let pairs = 0;
  const end = groups.findIndex((group) => {
    pairs += sizeOf(group);
    return pairs > mostPairs;
  });
  return end < 0 ? groups : groups.slice(0, end);
}
