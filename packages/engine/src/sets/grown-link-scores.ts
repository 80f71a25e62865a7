import { asEntityId, asRelationId, type KnowledgeGraph } from '@fuzzqe/core';
import { entity, project } from '@fuzzqe/core/query';
import type { LinkScores } from '@fuzzqe/evidence';
import { type ModelConfig, type OfFamily, scoresWhole, traitsOf } from '@fuzzqe/model';
import { anchorRows, rowsAtOnce } from '../embedding/anchor-rows.ts';
import { embedPlans } from '../embedding/embed-plans.ts';
import { newIds } from '../embedding/new-entities.ts';
import { planQuery } from '../embedding/plan.ts';
import { meanOf, type ScoringContext } from '../embedding/score-entities.ts';

/** How many entities and relations a graph has. */
export type GraphSize = Pick<KnowledgeGraph, 'entityCount' | 'relationCount'>;

/** What scores links of a graph that has grown since its model was trained. */
export interface GrownScores {
  /** The scores of the model's own entities [m, entities]. */
  readonly scores: LinkScores;
  readonly model: Pick<ModelConfig, 'entities' | 'relations' | 'dimension' | 'entityNormalisation'> &
    OfFamily;
  /** With the vectors of the entities that came later, where there are any. */
  readonly context: ScoringContext;
}

/**
 * s(e) of (9) for a graph with more entities and relations than the model.
 *
 * A link of a new head, and a link to a new tail, is scored by the same product from the vectors of new entities. A relation that came later has
 * scores of 0: the model knows nothing of it. Sums are in float64.
 * Shapes: heads and relations [m] → [m, |E|].
 */
export function grownLinkScores({ scores, model, context }: GrownScores, size: GraphSize): LinkScores {
  const { entities: first, relations } = model;
  const { entityCount } = size;
  return async (heads, ofRelations) => {
    const rows = new Float32Array(heads.length * entityCount);
    const places = [...heads.keys()].filter((place) => ofRelations[place]! < relations);
    const known = places.filter((place) => heads[place]! < first);
    if (known.length > 0) {
      const pick = (of: Int32Array): Int32Array => Int32Array.from(known, (place) => of[place]!);
      const found = await scores(pick(heads), pick(ofRelations));
      for (const [i, place] of known.entries())
        rows.set(found.subarray(i * first, (i + 1) * first), place * entityCount);
    }
    if (places.length === 0 || context.more === undefined) return rows;
    const directions = await linkDirections(
      { model, context },
      places.map((place) => ({ head: heads[place]!, relation: ofRelations[place]! })),
    );
    const score = (
      tails: Int32Array,
      vectors: readonly Float32Array[],
      of: (place: number) => boolean,
    ): void => {
      for (const [i, vector] of vectors.entries()) {
        const scale = scaleOf(model, vector);
        for (const [at, place] of places.entries())
          if (of(place)) rows[place * entityCount + tails[i]!] = scale * product(directions[at]!, vector);
      }
    };
    const fresh = newIds(context.more);
    score(fresh, await anchorRows(context, fresh), () => true);
    if (known.length === places.length) return rows;
    for (let from = 0; from < first; from += rowsAtOnce) {
      const tails = Int32Array.from({ length: Math.min(rowsAtOnce, first - from) }, (_, i) => from + i);
      score(tails, await anchorRows(context, tails), (place) => heads[place]! >= first);
    }
    return rows;
  };
}

/**
 * What links multiply the vectors of entities with: `queryDirections` of their projections at the temperature 1.
 *
 * Shapes: n links → [d] each.
 */
export async function linkDirections(
  { model, context }: Pick<GrownScores, 'model' | 'context'>,
  links: readonly { readonly head: number; readonly relation: number }[],
): Promise<Float64Array[]> {
  const plans = links.map(({ head, relation }) =>
    planQuery(project(asRelationId(relation), entity(asEntityId(head))), {
      choice: 'operators',
      centroids: false,
    }),
  );
  const projections = await embedPlans(context, plans);
  return projections.map((projected) => {
    const { length } = projected;
    const { isCentred } = traitsOf(model);
    const centre = isCentred ? meanOf(projected) : 0;
    const centred = Float64Array.from(projected, (each) => each - centre);
    const factor = isCentred ? 2 * length : inverseLength(centred);
    return centred.map((each) => factor * each);
  });
}

/** By what the product with p_e becomes the score: 1, or 1 / ‖p_e‖ where scores are cosines. */
export function scaleOf(
  model: Pick<ModelConfig, 'entityNormalisation'> & OfFamily,
  vector: ArrayLike<number>,
): number {
  return scoresWhole(model) ? 1 : inverseLength(vector);
}

/** 1 / ‖v‖. Shapes: [d]. */
const inverseLength = (vector: ArrayLike<number>): number => 1 / (Math.sqrt(product(vector, vector)) + 1e-12);

/** Shapes: [d], [d]. */
export function product(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < a.length; i += 1) sum += a[i]! * b[i]!;
  return sum;
}
