import { integer, number, object, type Schema } from '../input/schema.ts';

/** The numbers of (10), by which a projection goes through the members of a set. */
export interface ProjectionSettings {
  /** s: how much members other than the best one add to a projection; 0 keeps the maximum alone. In [0, 1]. */
  readonly support: number;
  /** Through how many members of degree `certain` or more a projection predicts, at most; recorded links of all members count. */
  readonly certainMembers: number;
  /** Through how many other members a projection predicts, at most, each of which costs a product with all entities. */
  readonly predictedMembers: number;
}

/** The settings that are used unless a model brings its own. */
export const defaultProjection: ProjectionSettings = {
  support: 0.3,
  certainMembers: 16,
  predictedMembers: 8,
};

/** Reads settings from JSON. */
export const projectionSettingsSchema: Schema<ProjectionSettings> = object({
  support: number({ min: 0, max: 1 }),
  certainMembers: integer({ min: 1, max: 100_000 }),
  predictedMembers: integer({ min: 0, max: 100_000 }),
});

/** From this degree on a member counts as certain: recorded, or predicted with hardly a doubt. */
export const certain = 0.95;

/** The highest degree of an answer that does not follow from recorded facts alone. */
export const highestPredicted: number = Math.fround(0.999);
