import { type AdjacencyIndex, findGroup, type Random, rowsOf } from '@fuzzqe/core';
import { firstAtLeast } from '../rules/matching-attributes.ts';
import { doubt } from '../rules/rule-set.ts';
import { drawPlaces } from './draw-places.ts';
import { fewestHits, type MiningSizes } from './mining-sizes.ts';
import { createTupleCounts } from './tuple-counts.ts';

/** Constant rules of a relation: c, q, d, hits, predictions of each, five numbers a rule. */
export interface FoundConstants {
  readonly rows: number[];
  /** Whether nothing was left out. */
  readonly whole: boolean;
}

/** How many heads of a tail, and how many edges of each head, attributes are counted of, for each attribute that is judged. */
const headsOfAttribute = 8;
const edgesOfAttribute = 32;

/** Finds constant rules, with arrays that are used again. */
export interface ConstantFinder {
  find(
    relation: number,
    sizes: Pick<MiningSizes, 'tails' | 'attributes'>,
    random: Random,
    known: Int32Array,
  ): FoundConstants;
}

/**
 * Makes a finder of rules r(X, c) ← q(X, d).
 *
 * For the tails c with the most facts, it counts the attributes of some heads, estimates each attribute's confidence from the count and
 * from how many entities have the attribute, and counts the hits of the best exactly: the entities, c apart, that have both facts.
 */
export function createConstantFinder(index: AdjacencyIndex): ConstantFinder {
  const { headOffsets, groupRelations, groupOffsets, tails, relationOffsets } = index;
  const { relationGroups, relationHeads } = index;
  const facts = rowsOf(index);
  const counts = createTupleCounts();
  let places = new Int32Array();
  let edges = new Int32Array();

  /** Counts the attributes of some heads of a fact (r, c); returns whether of all. */
  const countAttributes = (
    group: number,
    relation: number,
    c: number,
    heads: number,
    most: number,
    random: Random,
  ) => {
    const first = groupOffsets[group]!;
    const drawn = drawPlaces(random, groupOffsets[group + 1]! - first, heads, places);
    let whole = drawn === groupOffsets[group + 1]! - first;
    for (let i = 0; i < drawn; i++) {
      const head = tails[first + places[i]!]!;
      if (head === c) continue;
      let at = headOffsets[head]!;
      const begin = groupOffsets[at]!;
      const degree = groupOffsets[headOffsets[head + 1]!]! - begin;
      const some = drawPlaces(random, degree, most, edges);
      whole &&= some === degree;
      counts.nextGroup();
      for (let j = 0; j < some; j++) {
        const edge = begin + edges[j]!;
        while (edge >= groupOffsets[at + 1]!) at++;
        if (groupRelations[at] !== relation || tails[edge] !== c)
          counts.add(groupRelations[at]!, tails[edge]!, -1);
      }
    }
    return { drawn, whole: whole && !counts.isFull };
  };

  return {
    find(relation, sizes, random, known) {
      const inverse = relation ^ 1;
      const from = relationOffsets[inverse]!;
      const order = Array.from({ length: relationOffsets[inverse + 1]! - from }, (_, i) => from + i);
      const size = (at: number): number =>
        groupOffsets[relationGroups[at]! + 1]! - groupOffsets[relationGroups[at]!]!;
      const frequent = order
        .filter((at) => size(at) >= fewestHits)
        .sort((a, b) => size(b) - size(a) || a - b);
      const heads = headsOfAttribute * sizes.attributes;
      const most = edgesOfAttribute * sizes.attributes;
      if (places.length < heads) places = new Int32Array(heads);
      if (edges.length < most) edges = new Int32Array(most);
      let whole = frequent.length <= sizes.tails;
      const rows: number[] = [];
      const seen = new Set<string>();
      const judge = (c: number, q: number, d: number, group: number): void => {
        const body = findGroup(facts, d, q ^ 1);
        const { hits, predictions } = countBoth(index, group, body, c);
        if (hits >= fewestHits) rows.push(c, q, d, hits, predictions);
      };
      for (const at of frequent.slice(0, sizes.tails)) {
        const group = relationGroups[at]!;
        const c = relationHeads[at]!;
        counts.clear();
        const { drawn, whole: counted } = countAttributes(group, relation, c, heads, most, random);
        const candidates: { q: number; d: number; estimate: number }[] = [];
        counts.forEach((q, d, _, count) => {
          if (count < Math.min(fewestHits, drawn)) return;
          const having = findGroup(facts, d, q ^ 1);
          const predictions = groupOffsets[having + 1]! - groupOffsets[having]!;
          const hits = Math.min((count / drawn) * size(at), predictions);
          candidates.push({ q, d, estimate: hits / (predictions + doubt) });
        });
        whole &&= counted && candidates.length <= sizes.attributes;
        candidates.sort((a, b) => b.estimate - a.estimate || a.q - b.q || a.d - b.d);
        for (const { q, d } of candidates.slice(0, sizes.attributes)) {
          seen.add(`${c} ${q} ${d}`);
          judge(c, q, d, group);
        }
      }
      for (let i = 0; i < known.length; i += 5) {
        const [c, q, d] = [known[i]!, known[i + 1]!, known[i + 2]!];
        if (!seen.has(`${c} ${q} ${d}`)) rows.push(...known.subarray(i, i + 5));
      }
      return { rows, whole };
    },
  };
}

/** How many entities, c apart, stand in one group of tails, and how many of them in another. */
function countBoth(
  { groupOffsets, tails }: AdjacencyIndex,
  heads: number,
  body: number,
  c: number,
): { readonly hits: number; readonly predictions: number } {
  const [firstHead, lastHead] = [groupOffsets[heads]!, groupOffsets[heads + 1]!];
  const [firstBody, lastBody] = [groupOffsets[body]!, groupOffsets[body + 1]!];
  let predictions = lastBody - firstBody;
  const own = firstAtLeast(tails, c, firstBody, lastBody);
  if (own < lastBody && tails[own] === c) predictions--;
  let hits = 0;
  let head = firstHead;
  let other = firstBody;
  while (head < lastHead && other < lastBody) {
    const [mine, theirs] = [tails[head]!, tails[other]!];
    if (mine < theirs) head = firstAtLeast(tails, theirs, head, lastHead);
    else if (theirs < mine) other = firstAtLeast(tails, mine, other, lastBody);
    else {
      if (mine !== c) hits++;
      head++;
      other++;
    }
  }
  return { hits, predictions };
}
