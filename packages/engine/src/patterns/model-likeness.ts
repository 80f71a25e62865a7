import { asEntityId } from '@fuzzqe/core';
import { entity as entityQuery } from '@fuzzqe/core/query';
import type { ModelLikeness } from '@fuzzqe/evidence';
import type { Ranker } from '../ranker/ranker.ts';

/** How alike all entities are to one by a model; undefined where facts alone are compared. */
export type LikenessOf = (entity: number) => Promise<ModelLikeness | undefined>;

/** Larger models compare by facts alone: the vectors of this many entities are computed at the first question, and kept. */
export const mostCompared: number = 2 ** 14;

/** How many vectors are asked for together. */
const embeddedAtOnce = 512;

/** Vectors of entities less their mean, each of length 1 [n × d]. */
interface CentredVectors {
  readonly vectors: Float32Array;
  readonly dimension: number;
}

/**
 * Compares entities by the vectors of a model: `cos(p_e − p̄, p_h − p̄)`, p̄ being the mean of all p. Vectors are the same in all epochs of facts.
 *
 * @param share what counts of the model; 0: nothing is computed.
 * @throws FuzzError what the ranker throws.
 */
export function createLikeness(
  ranker: Pick<Ranker, 'rank'>,
  { entities, share }: { readonly entities: number; readonly share: number },
): LikenessOf {
  let kept: Promise<CentredVectors> | undefined;
  const isCompared = share > 0 && entities <= mostCompared;
  return async (entity) => {
    if (!isCompared || entity >= entities) return undefined;
    kept ??= centredVectors(ranker, entities).catch((cause: unknown) => {
      // The next question asks again.
      kept = undefined;
      throw cause;
    });
    return { share, cosines: cosinesWith(await kept, entity) };
  };
}

/** The cosines of all vectors with one of them. Shapes: → [n]. */
export function cosinesWith({ vectors, dimension }: CentredVectors, entity: number): Float32Array {
  const own = vectors.subarray(entity * dimension, (entity + 1) * dimension);
  return Float32Array.from({ length: vectors.length / dimension }, (_, id) => {
    let product = 0;
    for (let i = 0; i < dimension; i += 1) product += vectors[id * dimension + i]! * own[i]!;
    return product;
  });
}

/** Vectors less their mean, each of length 1, or 0 where it is the mean. Shapes: n of [d] → [n × d]. */
export function centred(embeddings: readonly Float32Array[]): CentredVectors {
  const dimension = embeddings[0]?.length ?? 0;
  const mean = new Float64Array(dimension);
  for (const embedding of embeddings)
    for (let i = 0; i < dimension; i += 1) mean[i]! += embedding[i]! / embeddings.length;
  const vectors = new Float32Array(embeddings.length * dimension);
  embeddings.forEach((embedding, id) => {
    const moved = Float64Array.from(embedding, (value, i) => value - mean[i]!);
    const length = Math.sqrt(moved.reduce((sum, value) => sum + value * value, 0));
    if (length > 0)
      vectors.set(
        moved.map((value) => value / length),
        id * dimension,
      );
  });
  return { vectors, dimension };
}

async function centredVectors(ranker: Pick<Ranker, 'rank'>, entities: number): Promise<CentredVectors> {
  const embeddings: Float32Array[] = [];
  for (let from = 0; from < entities; from += embeddedAtOnce) {
    const asked = Array.from({ length: Math.min(embeddedAtOnce, entities - from) }, (_, i) => ({
      task: 'embed' as const,
      query: entityQuery(asEntityId(from + i)),
    }));
    for (const { embedding } of await ranker.rank(asked)) embeddings.push(embedding);
  }
  return centred(embeddings);
}
