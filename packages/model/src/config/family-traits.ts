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
  /** Only 1p queries are embedded, of those. */
  readonly isOfLinks?: true;
  /** What the family leaves of a model's choices. */
  readonly choices?: { readonly [Option in keyof ModelOptions]?: readonly string[] };
}

/** Only blocks project from centroids. */
const withoutCentroids = { projectionInput: ['raw', 'l2'] };

const positive: FamilyTraits = { isPositive: true, choices: withoutCentroids };

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
  complex: { ...positive, isOfLinks: true },
  gqe: positive,
  query2box: positive,
};

/** The names of the families, which are the keys of the record. */
export const familyNames: readonly FamilyName[] = Object.keys(traits) as FamilyName[];

/** The traits of a model's family. */
export const traitsOf = ({ relationForm }: OfFamily): FamilyTraits => traits[relationForm];

/** Whether links are scored by p_e as it is; otherwise by p_e / ‖p_e‖. */
export function scoresWhole(model: OfFamily & Pick<ModelConfig, 'entityNormalisation'>): boolean {
  const { isCentred, isOfLinks } = traitsOf(model);
  return isCentred ?? isOfLinks ?? model.entityNormalisation === 'l2';
}

/**
 * The structures whose queries a family embeds; all where no model is given.
 *
 * @example
 * structuresOf({ relationForm: 'gqe' }); // the nine structures without negation
 */
export function structuresOf(model?: OfFamily): readonly StructureName[] {
  const { isPositive, isOfLinks }: FamilyTraits = model ? traitsOf(model) : {};
  return structureNames.filter((name) =>
    isOfLinks ? name === '1p' : !(isPositive && structures[name].negation),
  );
}
