import { integer, number, object, type Schema, withDefault } from '../input/schema.ts';

/**
 * The few numbers that turn a model's cosines into degrees of links, and sets into members to project.
 *
 * They belong to a trained model and are fitted on validation queries; `defaultCalibration` is what is used without.
 */
export interface Calibration {
  /** τ: how fast degrees fall with the cosine. Above 0. */
  readonly temperature: number;
  /** The highest degree of a link that is not recorded, below `certain`. In (0, 0.94]. */
  readonly cap: number;
  /** w: the share of a link's recorded tails that is expected beyond them. Above 0. */
  readonly weight: number;
  /** a: how the expectation grows with the number of recorded tails. In [0, 1.5]. */
  readonly exponent: number;
  /** λ: how much a recorded head of an entity counts against others, where tails have one each; 0 for not at all. In [0, 2]. */
  readonly exclusivity: number;
  /** w_ν: how much the recorded links of similar heads count; 0 for not at all. In [0, 100]. */
  readonly neighbourWeight: number;
  /** s: how much members beside the best one add to a projection; 0 keeps the maximum alone. In [0, 1]. */
  readonly support: number;
  /** λ of Sugeno's negation (7): how much more than its degree an entity of a negated set loses; 0 for 1 − a. In [0, 100]. */
  readonly negationLambda: number;
  /** Through how many members of degree `certain` or more a projection predicts, at most; recorded links of all members count. */
  readonly certainMembers: number;
  /** How many of the other members it takes along, at most, each of which costs a product with all entities; 0 leaves all of them out. */
  readonly predictedMembers: number;
}

/**
 * What a calibration without validation queries is.
 *
 * Chosen on drawn validation queries of FB15k-237, where temperatures from 10 to 40, weights from 0.03 to 0.3 and
 * exponents from 0.7 to 1 are one plateau.
 */
export const defaultCalibration: Calibration = {
  temperature: 20,
  cap: 0.3,
  weight: 0.1,
  exponent: 1,
  exclusivity: 0.5,
  neighbourWeight: 0.01,
  support: 0.1,
  negationLambda: 10,
  certainMembers: 16,
  predictedMembers: 8,
};

/** Reads a calibration from JSON. */
export const calibrationSchema: Schema<Calibration> = object({
  temperature: number({ above: 0, max: 1000 }),
  cap: number({ above: 0, max: 0.94 }),
  weight: number({ above: 0, max: 100 }),
  exponent: number({ min: 0, max: 1.5 }),
  exclusivity: number({ min: 0, max: 2 }),
  // Absent from calibrations of before there were neighbours, and of when 1 − a was the only negation.
  neighbourWeight: withDefault(number({ min: 0, max: 100 }), 0),
  support: number({ min: 0, max: 1 }),
  negationLambda: withDefault(number({ min: 0, max: 100 }), 0),
  certainMembers: integer({ min: 1, max: 100_000 }),
  predictedMembers: integer({ min: 0, max: 100_000 }),
});

/** The numbers of a calibration that graphs take, in the order of their input `calibration` [3]; offsets have the others. */
export const graphCalibration = ['temperature', 'cap', 'support'] as const;

/** The input `calibration` of graphs that compute degrees: a graph stays when a model is calibrated again. [3] */
export function calibrationValues(calibration: Calibration): Float32Array {
  return Float32Array.from(graphCalibration, (name) => calibration[name]);
}

/** From this degree on a member counts as certain: recorded, or recorded and hardly contradicted. */
export const certain = 0.95;
