import { type StructureName, structureNames, structures } from '@fuzzqe/core/query';
import type { ModelConfig, ModelOptions } from './config.ts';

/**
 * The families, by the name that a configuration gives them: `bases` has a matrix that all relations' bases make up (the paper),
 * `blocks` a 2 × 2 block of the relation's own, a rotation and a factor, for each pair of elements; `gqe` is GQE, `query2box` Query2Box,
 * `complex` ComplEx-N3.
 */
export type FamilyName = 'bases' | 'blocks' | 'complex' | 'gqe' | 'query2box';

/** What says of which family a model is. */
export type OfFamily = Pick<ModelConfig, 'relationForm'>;

/**
 * What readers of bundles ask of a family, without its formulas: these are in the graphs.
 *
 * Workers have this part of a family alone.
 */
export interface FamilyTraits {
  /** A projection reads d² numbers of its relation. Otherwise it reads d, where i and i + d/2 are a pair, so that d is even. */
  readonly hasMatrices?: true;
  /** Every p_e sums to 1 and queries lie near 1/2, so that scores are taken around the mean of a query. */
  readonly isCentred?: true;
  /** Only queries of the structures without negation are embedded, and no entity that came after the model. */
  readonly isPositive?: true;
  /** The structure whose queries are embedded, where there is one alone. */
  readonly only?: StructureName;
  /** What the family leaves of a model's choices. */
  readonly choices?: { readonly [Option in keyof ModelOptions]?: readonly string[] };
}

/** Only blocks project from centroids. */
const withoutCentroids = { projectionInput: ['raw', 'l2'] };

const traits: Readonly<Record<FamilyName, FamilyTraits>> = {
  bases: { hasMatrices: true, choices: withoutCentroids },
  blocks: {
    isCentred: true,
    // Entities have elements with a mean of 1/d, which no query changes; only the part of a vector apart from that mean is lengthened.
    choices: {
      mapping: ['logistic'],
      entityMapping: ['logistic'],
      entityNormalisation: ['l1'],
      score: ['innerProduct'],
    },
  },
  gqe: { isPositive: true, choices: withoutCentroids },
  query2box: { isPositive: true, choices: withoutCentroids },
  complex: { isPositive: true, choices: withoutCentroids, only: '1p' },
};

/** The names of the families, which are the keys of the record. */
export const familyNames: readonly FamilyName[] = Object.keys(traits) as FamilyName[];

/** The traits of a model's family. */
export const traitsOf = ({ relationForm }: OfFamily): FamilyTraits => traits[relationForm];

/** Whether links are scored by p_e as it is; otherwise by p_e / ‖p_e‖. */
export function scoresWhole(model: OfFamily & Pick<ModelConfig, 'entityNormalisation'>): boolean {
  return traitsOf(model).isCentred ?? model.entityNormalisation === 'l2';
}

/**
 * The structures whose queries a family embeds; all where no model is given.
 *
 * @example
 * structuresOf({ relationForm: 'gqe' }); // the nine structures without negation
 */
export function structuresOf(model?: OfFamily): readonly StructureName[] {
  const of = model && traitsOf(model);
  return of?.only
    ? [of.only]
    : structureNames.filter((name) => !(of?.isPositive && structures[name].negation));
}
