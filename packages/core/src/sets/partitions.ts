import type { AdjacencyIndex } from '../kg/adjacency.ts';
import type { KnowledgeGraph } from '../kg/knowledge-graph.ts';
import { createRandom } from '../random.ts';
import type { Calibration } from './calibration.ts';

/** How many heads of a relation its log-partition is the mean over, at most. */
const headsOfRelation = 16;
/** Of more entities than this the sum of a log-partition is estimated from so many. */
const mostSummed = 2 ** 16;

/**
 * z_r, the log-partition of each relation: the mean over up to 16 of its recorded heads of ln Σ exp(τ cos(P_r(p_h), p_e))
 * over the entities that are not recorded for the head.
 *
 * Within a relation it hardly depends on the head, which is why one number a relation is enough. A relation without a
 * recorded head has the mean over the others. `terms` computes the logarithms of some heads, with `partitionTerms`.
 * Shapes: → [|R|]; the choice of heads depends on the facts alone.
 */
export async function measurePartitions(
  facts: KnowledgeGraph,
  terms: (heads: Int32Array, relation: number) => Promise<ArrayLike<number>>,
): Promise<Float32Array> {
  const found = new Map<number, number>();
  for (const [relation, heads] of headsOfRelations(facts).entries()) {
    if (heads.length > 0) found.set(relation, mean(Array.from(await terms(heads, relation))));
  }
  const elsewhere = found.size === 0 ? Math.log(facts.entityCount) : mean([...found.values()]);
  return Float32Array.from(
    { length: facts.relationCount },
    (_, relation) => found.get(relation) ?? elsewhere,
  );
}

/** Entities that a log-partition is estimated from. */
export interface PartitionSample {
  /** Ascending. */
  readonly ids: Int32Array;
  /** Which of them are recorded for heads [m, ids], 1 or 0. */
  recorded(heads: Int32Array, relation: number): Float32Array;
  /** ln Σ over all entities that are not recorded for heads, from that over those of the sample [m]. */
  estimate(terms: ArrayLike<number>, heads: Int32Array, relation: number): Float32Array;
}

/**
 * The entities that log-partitions are summed over: all, or 2¹⁶ drawn ones of more, the same for the same number.
 *
 * An estimate is the sum over drawn entities times how many more there are that are not recorded for the head.
 */
export function partitionSample(facts: KnowledgeGraph, most: number = mostSummed): PartitionSample {
  const { entityCount } = facts;
  const ids = drawIds(entityCount, Math.min(entityCount, most));
  const isAll = ids.length === entityCount;
  const places = new Int32Array(isAll ? 0 : entityCount);
  if (!isAll)
    ids.forEach((id, place) => {
      places[id] = place + 1;
    });
  const placeOf = (id: number): number => (isAll ? id : places[id]! - 1);
  return {
    ids,
    recorded(heads, relation) {
      const rows = new Float32Array(heads.length * ids.length);
      heads.forEach((head, row) => {
        for (const tail of facts.tails(head, relation)) {
          const place = placeOf(tail);
          if (place >= 0) rows[row * ids.length + place] = 1;
        }
      });
      return rows;
    },
    estimate(terms, heads, relation) {
      if (isAll) return Float32Array.from(terms);
      return Float32Array.from(heads, (head, i) => {
        const recorded = facts.tails(head, relation);
        const unrecorded = entityCount - recorded.length;
        const drawn = ids.length - recorded.reduce((sum, tail) => sum + (placeOf(tail) >= 0 ? 1 : 0), 0);
        // Where nothing was drawn that is not recorded, cosines are taken for 0.
        return drawn === 0 ? Math.log(unrecorded) : terms[i]! + Math.log(unrecorded / drawn);
      });
    },
  };
}

function drawIds(entityCount: number, count: number): Int32Array {
  if (count === entityCount) return Int32Array.from({ length: count }, (_, id) => id);
  const random = createRandom('partition sample', entityCount);
  const drawn = new Set<number>();
  while (drawn.size < count) drawn.add(random.below(entityCount));
  return Int32Array.from(drawn).sort();
}

const drawnHeads = new WeakMap<AdjacencyIndex, readonly Int32Array[]>();

/** The heads of each relation, which are drawn once for all temperatures. */
function headsOfRelations(facts: KnowledgeGraph): readonly Int32Array[] {
  const known =
    drawnHeads.get(facts.index) ??
    Array.from({ length: facts.relationCount }, (_, relation) => someHeads(facts, relation));
  drawnHeads.set(facts.index, known);
  return known;
}

/** Up to 16 heads that leave something unrecorded, drawn by a reservoir. */
function someHeads({ index, entityCount }: KnowledgeGraph, relation: number): Int32Array {
  const { relationOffsets, relationGroups, relationHeads, groupOffsets } = index;
  const random = createRandom('partitions', relation);
  const kept: number[] = [];
  let seen = 0;
  for (let at = relationOffsets[relation]!; at < relationOffsets[relation + 1]!; at += 1) {
    const group = relationGroups[at]!;
    if (groupOffsets[group + 1]! - groupOffsets[group]! === entityCount) continue;
    seen += 1;
    const place = seen <= headsOfRelation ? seen - 1 : random.below(seen);
    if (place < headsOfRelation) kept[place] = relationHeads[at]!;
  }
  return Int32Array.from(kept);
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/**
 * The offsets of links in (9): `b_hr = ln w + a · ln max(n_hr, 1) − z_r`, n_hr the number of recorded tails.
 *
 * Shapes: partitions [|R|]; heads and relations [m] → [m].
 */
export function linkOffsets(
  calibration: Pick<Calibration, 'weight' | 'exponent'>,
  partitions: Float32Array,
  facts: Pick<KnowledgeGraph, 'tails'>,
  heads: Int32Array,
  relations: Int32Array,
): Float32Array {
  return Float32Array.from(heads, (head, i) => {
    const relation = relations[i]!;
    return linkOffset(calibration, partitions[relation]!, facts.tails(head, relation).length);
  });
}

/** b_hr of one link, by z_r and n_hr. */
export function linkOffset(
  { weight, exponent }: Pick<Calibration, 'weight' | 'exponent'>,
  partition: number,
  tails: number,
): number {
  return Math.log(weight) + exponent * Math.log(Math.max(tails, 1)) - partition;
}
