import { type AdjacencyIndex, findGroup, inverseOf, keptByIndex, type RelationId } from '@fuzzqe/core';

/** How many pairs of an attribute and an entity that has it are looked at for one entity: what thousands share says little. */
const mostPairs = 2 ** 12;

/** How many attributes of an entity are looked at: it may have millions. */
const mostAttributes = 2 ** 12;

/** Heads of a relation that share something with an entity. Shapes: [n] each. */
export interface SimilarHeads {
  /** What each has recorded, as a group of the index, in order of heads. */
  readonly groups: Int32Array;
  /** In (0, 1], in single precision. */
  readonly cosines: Float32Array;
}

/**
 * How similar the heads of a relation are to an entity by their recorded facts: cosines of attribute vectors.
 *
 * An attribute of h is a fact without it, (r, t) of (h, r, t), facts backwards included. It weighs `ln(|E| / n)`, n entities having it, so
 * that `cos(h, h') = Σ ln²(|E| / n) / (‖h‖ ‖h'‖)` over the attributes that both have. Of h the first 2¹² by relation and tail are
 * looked at, of these the rarest, of equally rare ones the first, up to 2¹² pairs of an attribute and an entity that has it.
 *
 * Time: the pairs, and once for each graph all facts. Memory: 12 bytes an entity.
 * Shapes: → at most as many as there are heads, or pairs.
 * Source: the inverse document frequency of Spärck Jones (1972), on attributes as of Das et al., "A Simple Approach to Case-Based Reasoning
 * in Knowledge Bases", AKBC 2020.
 */
export function similarHeads(index: AdjacencyIndex, entity: number, relation: number): SimilarHeads {
  const { groupOffsets, tails } = index;
  const kept = attributesOf(index);
  const { lengths, weights, products } = kept;
  const attributes = rarestAttributes(index, entity, kept);
  for (const attribute of attributes.groups) {
    const [first, end] = [groupOffsets[attribute]!, groupOffsets[attribute + 1]!];
    const weight = weights[end - first]!;
    for (let edge = first; edge < end; edge += 1) products[tails[edge]!]! += weight;
  }
  const { heads, groups } = candidates(index, relation, attributes);
  const similar = { groups: new Int32Array(heads.length), cosines: new Float32Array(heads.length) };
  const length = lengths[entity]!;
  let count = 0;
  for (let i = 0; i < heads.length; i += 1) {
    const head = heads[i]!;
    const product = products[head]!;
    if (product === 0) continue;
    similar.groups[count] = groups[i]!;
    similar.cosines[count++] = product / Math.sqrt(length * lengths[head]!);
  }
  for (const attribute of attributes.groups)
    for (let edge = groupOffsets[attribute]!; edge < groupOffsets[attribute + 1]!; edge += 1)
      products[tails[edge]!] = 0;
  return { groups: similar.groups.subarray(0, count), cosines: similar.cosines.subarray(0, count) };
}

/** Attributes as groups (t, r⁻¹), whose tails are the entities that have them: so many together. */
interface RarestAttributes {
  readonly groups: Int32Array;
  readonly pairs: number;
}

/** From so many heads for each pair on it takes less to look whether the entities of the pairs are among them. */
const manyHeads = 8;

/** Heads of a relation, in order and with their groups, among which are all that have some of these attributes. */
function candidates(
  index: AdjacencyIndex,
  relation: number,
  { groups: attributes, pairs }: RarestAttributes,
): { readonly heads: Int32Array; readonly groups: Int32Array } {
  const { relationOffsets, relationHeads, relationGroups, groupOffsets, tails } = index;
  const [first, end] = [relationOffsets[relation]!, relationOffsets[relation + 1]!];
  if (end - first <= manyHeads * pairs)
    return { heads: relationHeads.subarray(first, end), groups: relationGroups.subarray(first, end) };
  const having = new Int32Array(pairs);
  let count = 0;
  for (const attribute of attributes) {
    const those = tails.subarray(groupOffsets[attribute]!, groupOffsets[attribute + 1]!);
    having.set(those, count);
    count += those.length;
  }
  having.sort();
  const [heads, groups] = [new Int32Array(pairs), new Int32Array(pairs)];
  let found = 0;
  having.forEach((entity, i) => {
    if (i > 0 && entity === having[i - 1]) return;
    const group = findGroup(index, entity, relation);
    if (group < 0) return;
    heads[found] = entity;
    groups[found++] = group;
  });
  return { heads: heads.subarray(0, found), groups: groups.subarray(0, found) };
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

const attributesOf = keptByIndex(measure);

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
): RarestAttributes {
  const { headOffsets, groupRelations, groupOffsets, tails } = index;
  const end = headOffsets[entity + 1]!;
  let count = 0;
  for (let group = headOffsets[entity]!; group < end; group += 1) {
    // Relations of an index are relations of the graph.
    const inverse = inverseOf(groupRelations[group]! as RelationId);
    for (let edge = groupOffsets[group]!; edge < groupOffsets[group + 1]!; edge += 1) {
      if (count === mostAttributes) break;
      const attribute = findGroup(index, tails[edge]!, inverse);
      // Every edge is there backwards; one that were not would be nobody's attribute.
      if (attribute >= 0) groups[count++] = attribute;
    }
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
    const entities = Math.floor(rank / mostAttributes);
    if (pairs + entities > mostPairs) break;
    pairs += entities;
    rarest[taken] = groups[rank % mostAttributes]!;
  }
  return { groups: rarest.subarray(0, taken), pairs };
}
