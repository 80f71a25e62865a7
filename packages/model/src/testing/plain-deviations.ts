import type { StructureName } from '@fuzzqe/core/query';
import { type DistanceModel, distancesOf } from './distances-of.ts';

/** A query of a structure with the distances of all entities from it, in plain numbers. */
export interface PlainDistances {
  readonly name: StructureName;
  readonly anchors: readonly number[];
  readonly relations: readonly number[];
  readonly expected: readonly number[];
}

/** How far the distances of a family's tensor programs are from plain numbers at most; as a control, how far they are along other relations. */
export function plainDeviations(
  model: DistanceModel,
  { name, anchors, relations, expected }: PlainDistances,
): { readonly own: number; readonly others: number } {
  const largest = (along: readonly number[]): number =>
    Math.max(
      ...distancesOf(model, name, anchors, along).map((value, entity) => Math.abs(value - expected[entity]!)),
    );
  return {
    own: largest(relations),
    others: largest(relations.map((id) => (id + 1) % model.config.relations)),
  };
}
