import type { LogicName } from '../logic/logic.ts';

/** How a row of free numbers becomes a vector in [0,1]^d: the paper's choices for g. */
export const mappingNames = ['logistic', 'boundedRectifier'] as const;
/** `1 / (1 + e^-x)` or `min(max(x, 0), 1)`. */
export type MappingName = (typeof mappingNames)[number];

/** How an entity's vector is scaled: it sums to 1 (L1, a distribution), or its squares do (L2). */
export const normalisationNames = ['l1', 'l2'] as const;
export type NormalisationName = (typeof normalisationNames)[number];

/** On which scale vectors enter a projection: as they are (the paper), or with length 1 (one scale for every hop). */
export const projectionInputNames = ['raw', 'l2'] as const;
export type ProjectionInputName = (typeof projectionInputNames)[number];

/** Everything that fixes the shape and the formulas of one FuzzQE model. */
export interface ModelConfig {
  /** Number of entities, |E|. */
  readonly entities: number;
  /** Number of relations with their inverses, |R|. Even. */
  readonly relations: number;
  /** Length of every embedding, the paper's d. */
  readonly dimension: number;
  /** Number of bases of W_r and b_r, the paper's K. */
  readonly bases: number;
  readonly logic: LogicName;
  /** g: what follows layer normalisation in a projection. */
  readonly mapping: MappingName;
  /** What turns the free numbers of an entity into [0,1]^d before they are normalised. */
  readonly entityMapping: MappingName;
  readonly entityNormalisation: NormalisationName;
  readonly projectionInput: ProjectionInputName;
}

/** ε of layer normalisation, as in the reference implementations of the field. */
export const layerNormEpsilon = 1e-5;
