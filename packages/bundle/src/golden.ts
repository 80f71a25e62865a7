import { nodesOf, type StructureName, structures, type Template } from '@fuzzqe/core/query';

/** One query with its answer by the float64 reference. */
export interface GoldenCase {
  readonly structure: StructureName;
  readonly anchors: readonly number[];
  readonly relations: readonly number[];
  /** S_q. */
  readonly embedding: readonly number[];
  /** The best entities, best first, ties to the lower id. */
  readonly ids: readonly number[];
  /** Their scores φ(q, e). */
  readonly scores: readonly number[];
  /**
   * The answer by fuzzy sets of entities, over the facts of the bundle; null where degrees are so close that runtimes may
   * take different members along, and where `hasGoldenSet` leaves it out.
   */
  readonly sets: GoldenSet | null;
}

/** The best of a fuzzy set of entities. */
export interface GoldenSet {
  /** As many as `ids` of the case, best first, ties to the lower id. */
  readonly ids: readonly number[];
  /** Their degrees, in [0, 1]. */
  readonly degrees: readonly number[];
}

/** `golden.json`: what every runtime must answer. */
export interface Golden {
  /** How many entities each case lists. */
  readonly k: number;
  readonly cases: readonly GoldenCase[];
}

/** Of more entities than this a bundle has one golden case of each structure, and fewer sets. */
export const manyEntities: number = 2 ** 15;

/**
 * Whether a structure has a golden case with a fuzzy set: of more than 2¹⁵ entities, of those that project a set, 2p alone.
 *
 * Each projection of a set is some fifty links to all entities in float64: all of them are nine tenths of the work.
 */
export function hasGoldenSet(structure: StructureName, entities: number): boolean {
  return entities <= manyEntities || structure === '2p' || !projectsSet(structures[structure].template);
}

function projectsSet(template: Template): boolean {
  return nodesOf(template).some((node) => node.op === 'project' && node.from.op !== 'entity');
}
