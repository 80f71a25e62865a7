import { type StructureName, structureNames, structures, type Template } from '@fuzzqe/core/query';

/** The shape that all queries of one kind share: one of the 14 published structures, or one of the user's own. */
export interface QueryStructure<Name extends string = string> {
  readonly name: Name;
  /** Slots are numbered as in the 14: anchors as they are read, relations as they are applied. */
  readonly template: Template;
  /** How many anchors a query has. */
  readonly anchors: number;
  /** How many relations a query has. */
  readonly relations: number;
  /** Whether it contains a negation. */
  readonly negation: boolean;
}

/** Whether a structure, by its name, is one of the 14. */
export function isPublished(name: string): name is StructureName {
  return structureNames.some((each) => each === name);
}

/** The structure itself, where one of the 14 was named. */
export function structureOf<Name extends string>(
  structure: QueryStructure<Name> | (Name & StructureName),
): QueryStructure<Name> {
  if (typeof structure !== 'string') return structure;
  const { template, anchors, relations, negation } = structures[structure];
  return { name: structure, template, anchors, relations, negation };
}
