import { type StructureName, structureNames, structures } from '@fuzzqe/core/query';
import type { ModelConfig, ModelOptions } from './config.ts';

/**
 * The families, by the name that a configuration gives them: `bases` has a matrix that all relations' bases make up (the paper),
 * `blocks` a 2 × 2 block of the relation's own, a rotation and a factor, for each pair of elements; `gqe` is GQE with ∧ by attention
 * and `gqeDeepSets` GQE with ∧ by a network, `query2box` Query2Box, `betae` BetaE with ∨ by alternatives and `betaeDm` BetaE with ∨
 * by ∧ and ¬, `complex` ComplEx-N3.
 */
export type FamilyName =
  | 'bases'
  | 'blocks'
  | 'complex'
  | 'gqe'
  | 'gqeDeepSets'
  | 'query2box'
  | 'betae'
  | 'betaeDm';

/** A family that another package adds, with `addFamily`. */
export type OtherFamilyName = `x-${string}`;
export type AnyFamilyName = FamilyName | OtherFamilyName;

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
  /**
   * Scores are distances. Says which queries are embedded: those of the structures without negation (`positive`), of all structures
   * (`signed`), or of any shape (`trees`). The first two have two alternatives at most.
   */
  readonly distances?: 'positive' | 'signed' | 'trees';
  /** The structure whose queries are embedded, where there is one alone. */
  readonly only?: StructureName;
  /** What the family leaves of a model's choices; where it says nothing, all but projections from centroids. */
  readonly choices?: { readonly [Option in keyof ModelOptions]?: readonly string[] };
}

const traits: Record<AnyFamilyName, FamilyTraits> = {
  bases: { hasMatrices: true },
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
  complex: { only: '1p' },
  gqe: { distances: 'positive' },
  gqeDeepSets: { distances: 'positive' },
  query2box: { distances: 'positive' },
  betae: { distances: 'signed' },
  betaeDm: { distances: 'trees' },
};

/** The names of the families, which are the keys of the record. */
export const familyNames: readonly AnyFamilyName[] = Object.keys(traits) as AnyFamilyName[];

/** Lets readers take models of another family. */
export function addTraits(name: OtherFamilyName, of: FamilyTraits): void {
  traits[name] = of;
  // Readonly for everybody else. Readers hold this array.
  (familyNames as AnyFamilyName[]).push(name);
}

/** The traits of a model's family. Readers refuse a name that is not there. */
export const traitsOf = ({ relationForm }: OfFamily): FamilyTraits => traits[relationForm]!;

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
  const { distances, only }: FamilyTraits = model ? traitsOf(model) : {};
  return only
    ? [only]
    : structureNames.filter((name) => distances !== 'positive' || !structures[name].negation);
}
