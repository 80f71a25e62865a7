import {
  type AdjacencyIndex,
  type FactRows,
  findGroup,
  inverseOf,
  type KnowledgeGraph,
  keptBy,
  type RelationId,
  rowsOf,
} from '@fuzzqe/core';

/** How many pairs of an attribute and an entity that has it are looked at for one entity: what thousands share says little. */
const mostPairs = 2 ** 12;

/** How many attributes of an entity are looked at: it may have millions. */
export const mostAttributes: number = 2 ** 12;

/** Heads of a relation that share something with an entity. Shapes: [n] each. */
export interface SimilarHeads {
  /** Ascending. */
  readonly heads: Int32Array;
  /** In (0, 1], in single precision. */
  readonly cosines: Float32Array;
}

/**
 * How similar the heads of a relation, or all entities, are to an entity by their recorded facts: cosines of attribute vectors.
 *
 * An attribute of h is a fact without it, (r, t) of (h, r, t), facts backwards included. It weighs `ln(|E| / n)`, n entities having it, so
 * that `cos(h, h') = Σ ln²(|E| / n) / (‖h‖ ‖h'‖)` over the attributes that both have. Of h the first 2¹² by relation and tail are
 * looked at, of these the rarest, of equally rare ones the first, up to 2¹² pairs of an attribute and an entity that has it.
 * After `changedFacts` attributes are those of the changed facts; n is that of the facts that were indexed first, and 1 where it was 0.
 *
 * Time: the pairs, and once for each graph all facts. Memory: 12 bytes an entity.
 * Shapes: → at most as many as there are heads, or pairs.
 * Source: the inverse document frequency of Spärck Jones (1972), on attributes as of Das et al., "A Simple Approach to Case-Based Reasoning
 * in Knowledge Bases", AKBC 2020.
 */
export function similarHeads(
  { index, rows }: Pick<KnowledgeGraph, 'index' | 'rows'>,
  entity: number,
  relation?: number,
): SimilarHeads {
  const { groupStarts, groupEnds, tails } = rows;
  const kept = attributesOf(index);
  const { products } = kept;
  const changes = { kept, rows, base: rowsOf(index) };
  const attributes = rarestAttributes(changes, entity);
  for (let i = 0; i < attributes.groups.length; i += 1) {
    const group = attributes.groups[i]!;
    const weight = attributes.weights[i]!;
    for (let edge = groupStarts[group]!; edge < groupEnds[group]!; edge += 1)
      products[tails[edge]!]! += weight;
  }
  const among = candidates(rows, relation, attributes);
  const similar = { heads: new Int32Array(among.length), cosines: new Float32Array(among.length) };
  const length = lengthOf(changes, entity);
  let count = 0;
  for (let i = 0; i < among.length; i += 1) {
    const head = among[i]!;
    const product = products[head]!;
    if (product === 0) continue;
    similar.heads[count] = head;
    similar.cosines[count++] = product / Math.sqrt(length * lengthOf(changes, head));
  }
  for (const group of attributes.groups)
    for (let edge = groupStarts[group]!; edge < groupEnds[group]!; edge += 1) products[tails[edge]!] = 0;
  return { heads: similar.heads.subarray(0, count), cosines: similar.cosines.subarray(0, count) };
}

/**
 * What two entities have in common adds to their cosine: `ln²(|E| / n) / (‖h‖ ‖h'‖)` for an attribute (r, t) of both, as `similarHeads` weighs it.
 *
 * Ranges: [0, 1].
 */
export function attributeShares(
  { index, rows }: Pick<KnowledgeGraph, 'index' | 'rows'>,
  entity: number,
  other: number,
): (relation: number, tail: number) => number {
  const changes = { kept: attributesOf(index), rows, base: rowsOf(index) };
  const lengths = Math.sqrt(lengthOf(changes, entity) * lengthOf(changes, other));
  return (relation, tail) => weightOf(changes, relation, tail) / lengths;
}

/** Attributes as groups (t, r⁻¹), whose tails are the entities that have them: so many together. */
interface RarestAttributes {
  readonly groups: Int32Array;
  /** The squared weight of each. */
  readonly weights: Float32Array;
  readonly pairs: number;
}

/** From so many heads for each pair on it takes less to look whether the entities of the pairs are among them. */
const manyHeads = 8;

/** Heads of a relation, or entities, in order, among which are all that have some of these attributes. */
function candidates(
  rows: FactRows,
  relation: number | undefined,
  { groups, pairs }: RarestAttributes,
): Int32Array {
  const { relationStarts, relationEnds, relationHeads, groupStarts, groupEnds, tails } = rows;
  if (relation !== undefined) {
    const [first, end] = [relationStarts[relation]!, relationEnds[relation]!];
    if (end - first <= manyHeads * pairs) return relationHeads.subarray(first, end);
  }
  const having = new Int32Array(pairs);
  let count = 0;
  for (const attribute of groups) {
    const those = tails.subarray(groupStarts[attribute]!, groupEnds[attribute]!);
    having.set(those, count);
    count += those.length;
  }
  having.sort();
  return having.filter(
    (entity, i) =>
      (i === 0 || entity !== having[i - 1]) &&
      (relation === undefined || findGroup(rows, entity, relation) >= 0),
  );
}

/** What is kept of a graph's attributes. */
interface Attributes {
  /** ‖h‖² [|E|]. */
  readonly lengths: Float32Array;
  /** The squared weight of an attribute by how many entities have it; at 0 the weight of an attribute that one entity has. */
  readonly weights: Float32Array;
  /** [|E|], zeros between two uses. */
  readonly products: Float64Array;
  /** Groups of the attributes of an entity, their squared weights, and numbers to sort them by. Shapes: 2¹² each. */
  readonly groups: Int32Array;
  readonly found: Float32Array;
  readonly ranks: Float64Array;
}

const attributesOf = keptBy(measure);

function measure({ headOffsets, groupRelations, groupOffsets, tails }: AdjacencyIndex): Attributes {
  const entityCount = headOffsets.length - 1;
  let largest = 0;
  for (let group = 0; group < groupRelations.length; group += 1)
    largest = Math.max(largest, groupOffsets[group + 1]! - groupOffsets[group]!);
  const weights = new Float32Array(largest + 1);
  for (let entities = 0; entities <= largest; entities += 1)
    weights[entities] = Math.log(entityCount / Math.max(entities, 1)) ** 2;
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
    found: new Float32Array(mostAttributes),
    ranks: new Float64Array(mostAttributes),
  };
}

/** The facts now, the facts that were indexed first, and the weights of their attributes. */
interface Changes {
  readonly kept: Attributes;
  readonly rows: FactRows;
  readonly base: FactRows;
}

function sizeOf({ groupStarts, groupEnds }: FactRows, group: number): number {
  return group < 0 ? 0 : groupEnds[group]! - groupStarts[group]!;
}

/** The squared weight of the attribute (r, t). */
function weightOf({ kept: { weights }, base }: Changes, relation: number, tail: number): number {
  return weights[sizeOf(base, findGroup(base, tail, relation ^ 1))]!;
}

/** ‖h‖² in single precision: where the facts of h have changed, by the weights of the attributes that came and went. */
function lengthOf(changes: Changes, head: number): number {
  const {
    kept: { lengths },
    rows,
    base,
  } = changes;
  if (rows.headStarts[head] === base.headStarts[head]) return lengths[head]!;
  let square = lengths[head]!;
  const weigh = (relation: number, tail: number): number => weightOf(changes, relation, tail);
  let [now, before] = [rows.headStarts[head]!, base.headStarts[head]!];
  const [lastNow, lastBefore] = [rows.headEnds[head]!, base.headEnds[head]!];
  while (now < lastNow || before < lastBefore) {
    const relationNow = now < lastNow ? rows.groupRelations[now]! : Number.POSITIVE_INFINITY;
    const relationBefore = before < lastBefore ? base.groupRelations[before]! : Number.POSITIVE_INFINITY;
    const relation = Math.min(relationNow, relationBefore);
    const [has, had] = [relationNow === relation, relationBefore === relation];
    let [edge, end] = has ? [rows.groupStarts[now]!, rows.groupEnds[now]!] : [0, 0];
    let [old, oldEnd] = had ? [base.groupStarts[before]!, base.groupEnds[before]!] : [0, 0];
    // A group that did not change lies where it lay.
    if (has && had && edge === old && end === oldEnd) [end, oldEnd] = [edge, old];
    while (edge < end || old < oldEnd) {
      const tail = edge < end ? rows.tails[edge]! : Number.POSITIVE_INFINITY;
      const gone = old < oldEnd ? base.tails[old]! : Number.POSITIVE_INFINITY;
      if (tail < gone) square += weigh(relation, tail);
      if (gone < tail) square -= weigh(relation, gone);
      if (tail <= gone) edge += 1;
      if (gone <= tail) old += 1;
    }
    if (has) now += 1;
    if (had) before += 1;
  }
  return Math.fround(square);
}

/** The groups (t, r⁻¹) of the attributes (r, t) of an entity, the smallest first, as many as are looked at. */
function rarestAttributes({ kept, rows, base }: Changes, entity: number): RarestAttributes {
  const { groups, ranks, found, weights } = kept;
  const { headStarts, headEnds, groupRelations, groupStarts, groupEnds, tails } = rows;
  const end = headEnds[entity]!;
  let count = 0;
  for (let group = headStarts[entity]!; group < end; group += 1) {
    // Relations of an index are relations of the graph.
    const inverse = inverseOf(groupRelations[group]! as RelationId);
    for (let edge = groupStarts[group]!; edge < groupEnds[group]!; edge += 1) {
      if (count === mostAttributes) break;
      const attribute = findGroup(rows, tails[edge]!, inverse);
      // Every edge is there backwards; an edge without its inverse has no group to add.
      if (attribute < 0) continue;
      // Groups of the index keep their numbers.
      const before =
        attribute < base.groupRelations.length ? attribute : findGroup(base, tails[edge]!, inverse);
      found[count] = weights[sizeOf(base, before)]!;
      groups[count++] = attribute;
    }
  }
  // By size and then by place, in one number each: to sort numbers takes a fraction of what a comparison by a function does.
  for (let place = 0; place < count; place += 1)
    ranks[place] = sizeOf(rows, groups[place]!) * mostAttributes + place;
  const order = ranks.subarray(0, count).sort();
  const rarest = new Int32Array(count);
  const weighed = new Float32Array(count);
  let [taken, pairs] = [0, 0];
  for (; taken < count; taken += 1) {
    const rank = order[taken]!;
    const entities = Math.floor(rank / mostAttributes);
    if (pairs + entities > mostPairs) break;
    pairs += entities;
    rarest[taken] = groups[rank % mostAttributes]!;
    weighed[taken] = found[rank % mostAttributes]!;
  }
  return { groups: rarest.subarray(0, taken), weights: weighed.subarray(0, taken), pairs };
}
