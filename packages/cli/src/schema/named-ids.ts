import { asEntityId, asRelationId, type Vocabulary } from '@fuzzqe/core';

/** An entity or a relation with its names, for JSON; the key of an inverse ends with `^-1`. */
export interface NamedId {
  readonly id: number;
  readonly key: string;
  readonly label: string;
}

/** Names ids of a graph. */
export interface NamedIds {
  entity(id: number): NamedId;
  relation(id: number): NamedId;
  /** The label of an entity. */
  entityLabel(id: number): string;
  /** The label of a relation, with `^-1` after it for an inverse. */
  relationLabel(id: number): string;
}

/** Names ids by a vocabulary. */
export function createNamedIds(vocabulary: Vocabulary): NamedIds {
  const relationLabel = (id: number): string => {
    const { label, inverse } = vocabulary.relation(asRelationId(id));
    return inverse ? `${label}^-1` : label;
  };
  return {
    entity(id) {
      const { key, label } = vocabulary.entity(asEntityId(id));
      return { id, key, label };
    },
    relation: (id) => ({ id, key: vocabulary.relation(asRelationId(id)).key, label: relationLabel(id) }),
    entityLabel: (id) => vocabulary.entity(asEntityId(id)).label,
    relationLabel,
  };
}
