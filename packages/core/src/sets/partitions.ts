import type { AdjacencyIndex } from '../kg/adjacency.ts';
import { keptByIndex } from '../kg/kept-by-index.ts';
import type { KnowledgeGraph } from '../kg/knowledge-graph.ts';
import { createRandom } from '../random.ts';
import type { Calibration } from './calibration.ts';

/** How many heads of a relation its log-partition is the mean over, at most. */
const headsOfRelation = 16;

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

/** The heads that the log-partition of each relation is a mean over, [|R|] times up to 16; drawn once for all temperatures. */
export function headsOfRelations({ index }: Pick<KnowledgeGraph, 'index'>): readonly Int32Array[] {
  return drawnHeads(index);
}

const drawnHeads = keptByIndex((index): readonly Int32Array[] =>
  Array.from({ length: index.relationOffsets.length - 1 }, (_, relation) => someHeads(index, relation)),
);

/** Up to 16 heads that leave something unrecorded, drawn by a reservoir. */
function someHeads(index: AdjacencyIndex, relation: number): Int32Array {
  const { headOffsets, relationOffsets, relationGroups, relationHeads, groupOffsets } = index;
  const entityCount = headOffsets.length - 1;
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
