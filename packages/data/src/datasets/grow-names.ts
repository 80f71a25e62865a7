import { inverseSuffix, type NameEntry, type Vocabulary } from '@fuzzqe/core';
import { growingVocabulary } from '@fuzzqe/names';
import type { KeyedChange } from './apply-changes.ts';
import type { IdsByKey } from './ids-by-key.ts';

/** Entities and relations that changes of facts create. */
export interface NewNames {
  readonly entities?: Iterable<NameEntry>;
  /** Forwards. */
  readonly relations?: Iterable<NameEntry>;
}

/** Names with the new names that have facts. */
export interface GrownNames {
  readonly vocabulary: Vocabulary;
  /** Whether a change is of a name that is left out, since no fact is left of the name. */
  leavesOut(change: KeyedChange): boolean;
}

/**
 * Adds the entities and relations that changes create, behind those of a data set; a key that the data set has stays as it is.
 *
 * A new name is left out if no fact of it is left after the changes.
 */
export function growNames(
  vocabulary: Vocabulary,
  { entities, relations }: IdsByKey,
  changes: readonly KeyedChange[],
  creates: NewNames,
): GrownNames {
  const entries = {
    entities: newOf(creates.entities, entities),
    relations: newOf(creates.relations, relations),
  };
  const isOfNew = ({ head, relation, tail }: KeyedChange): boolean =>
    entries.entities.has(head) || entries.entities.has(tail) || entries.relations.has(forwards(relation));
  if (entries.entities.size + entries.relations.size === 0) return { vocabulary, leavesOut: () => false };
  const last = new Map<string, KeyedChange>();
  for (const change of changes) if (isOfNew(change)) last.set(textOf(change), change);
  const used = { entities: new Set<string>(), relations: new Set<string>() };
  for (const { does, head, relation, tail } of last.values()) {
    if (does !== 'add') continue;
    for (const end of [head, tail]) if (entries.entities.has(end)) used.entities.add(end);
    if (entries.relations.has(forwards(relation))) used.relations.add(forwards(relation));
  }
  const grown = growingVocabulary(vocabulary);
  grown.put({
    entities: Array.from(used.entities, (key) => entries.entities.get(key)!),
    relations: Array.from(used.relations, (key) => entries.relations.get(key)!),
  });
  const isUnused = (kind: keyof typeof entries, key: string): boolean =>
    entries[kind].has(key) && !used[kind].has(key);
  return {
    vocabulary: grown,
    leavesOut: ({ head, relation, tail }) =>
      isUnused('entities', head) || isUnused('entities', tail) || isUnused('relations', forwards(relation)),
  };
}

function newOf(
  given: Iterable<NameEntry> = [],
  known: ReadonlyMap<string, number>,
): ReadonlyMap<string, NameEntry> {
  const entries = new Map<string, NameEntry>();
  for (const entry of given) if (!known.has(entry.key)) entries.set(entry.key, entry);
  return entries;
}

function forwards(relation: string): string {
  return relation.endsWith(inverseSuffix) ? relation.slice(0, -inverseSuffix.length) : relation;
}

/** The same text for a fact and for its inverse. */
function textOf({ head, relation, tail }: KeyedChange): string {
  const key = forwards(relation);
  return JSON.stringify(key === relation ? [head, key, tail] : [tail, key, head]);
}
