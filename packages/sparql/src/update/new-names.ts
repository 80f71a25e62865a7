import {
  asEntityId,
  asRelationId,
  FuzzError,
  keyBehind,
  type NameKind,
  newKeyOf,
  type Vocabulary,
} from '@fuzzqe/core';
import type { FindsNames } from '../names/key-iris.ts';

/** The names of a graph, and the names that an update creates: new ids are behind those of the graph. */
export interface NewNames {
  /** Finds names of the graph, and names that were created before. */
  readonly known: FindsNames;
  /** Creates names that `known` does not find. Throws: as `known`, for a label that several share and, unless the update creates, for each new name. */
  readonly creating: FindsNames;
  readonly entityCount: number;
  readonly relationCount: number;
  /** The key of an entity, of the graph or new. */
  entityKey(id: number): string;
  relationKey(id: number): string;
  /** Whether the update creates the entity or the relation. */
  isNew(kind: NameKind, id: number): boolean;
}

/**
 * Makes the names of one update.
 *
 * @param creates whether the update may create names. Default: false.
 */
export function createNewNames(vocabulary: Vocabulary, creates = false): NewNames {
  const { entityCount, relationCount, prefixes } = vocabulary;
  const made = { entity: new Map<string, number>(), relation: new Map<string, number>() };
  const keys = { entity: [] as string[], relation: [] as string[] };
  const placeOf = (kind: NameKind, name: string, error: unknown, mayCreate: boolean): number => {
    if (!(error instanceof FuzzError)) throw error;
    const known = made[kind].get(keyBehind(name, prefixes) ?? name);
    if (known !== undefined) return known;
    const key = mayCreate ? newKeyOf(vocabulary, kind, name) : undefined;
    if (key === undefined) throw error;
    made[kind].set(key, keys[kind].length);
    return keys[kind].push(key) - 1;
  };
  const finding = (mayCreate: boolean): FindsNames => ({
    prefixes,
    findEntity(name) {
      try {
        return vocabulary.findEntity(name);
      } catch (error) {
        return asEntityId(entityCount + placeOf('entity', name, error, mayCreate));
      }
    },
    findRelation(name) {
      try {
        return vocabulary.findRelation(name);
      } catch (error) {
        return asRelationId(relationCount + 2 * placeOf('relation', name, error, mayCreate));
      }
    },
  });
  return {
    known: finding(false),
    creating: finding(creates),
    get entityCount() {
      return entityCount + keys.entity.length;
    },
    get relationCount() {
      return relationCount + 2 * keys.relation.length;
    },
    entityKey: (id) => keys.entity[id - entityCount] ?? vocabulary.entity(id).key,
    relationKey: (id) => keys.relation[(id - relationCount) / 2] ?? vocabulary.relation(id).key,
    isNew: (kind, id) =>
      kind === 'entity'
        ? keys.entity[id - entityCount] !== undefined
        : keys.relation[(id - relationCount) / 2] !== undefined,
  };
}
