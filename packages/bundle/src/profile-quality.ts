import { schema } from '@fuzzqe/core';

const { integer, number, object, string, union } = schema;

/** How much of the full-precision model's ranking a profile keeps in one mode. */
export interface QualityChange {
  /** How many queries were asked. */
  readonly queries: number;
  /** Mean MRR over structures of the profile minus that of `fp32`, in [−1, 1]: −0.002 is 0.2 points less. */
  readonly mrrChange: number;
  /** The mean share of the ten best entities that both have, in [0, 1]. */
  readonly overlap10: number;
}

/** How much of the full-precision model's ranking a profile keeps, measured when it was exported. */
export interface MeasuredQuality {
  readonly embedding: QualityChange;
  readonly sets: QualityChange;
}

/** The quality of a profile, or why nothing was measured. */
export type ProfileQuality = MeasuredQuality | { readonly reason: string };

const change: schema.Schema<QualityChange> = object({
  queries: integer({ min: 1 }),
  mrrChange: number({ min: -1, max: 1 }),
  overlap10: number({ min: 0, max: 1 }),
});

/** Reads the quality of a profile from JSON. */
export const profileQualitySchema: schema.Schema<ProfileQuality> = union([
  object({ embedding: change, sets: change }),
  object({ reason: string }),
]);
