import { schema } from '@fuzzqe/core';

const { array, integer, number, object } = schema;

/** How stated probabilities compare with what was found. */
export interface Reliability {
  /** How many probabilities were compared, and how many came true. */
  readonly count: number;
  readonly found: number;
  /** Expected calibration error: the mean of |stated − found| of the tenth of [0, 1] that each probability is in. */
  readonly ece: number;
  /** The tenths that have probabilities, the lowest first. */
  readonly bins: readonly ReliabilityBin[];
}

/** The probabilities of a tenth: how many, their mean, and the share that came true. */
export interface ReliabilityBin {
  readonly count: number;
  readonly stated: number;
  readonly found: number;
}

const share = number({ min: 0, max: 1 });
const count = integer({ min: 0 });

/** Reads a reliability from JSON. */
export const reliabilitySchema: schema.Schema<Reliability> = object({
  count,
  found: number({ min: 0 }),
  ece: share,
  bins: array(object({ count: number({ min: 0 }), stated: share, found: share })),
});
