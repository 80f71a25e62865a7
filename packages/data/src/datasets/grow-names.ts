import type { NameEntry, Vocabulary } from '@fuzzqe/core';
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
 *
 * @param changes as `lastChanges` gives them.
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
  if (entries.entities.size + entries.relations.size === 0) return { vocabulary, leavesOut: () => false };
  const used = { entities: new Set<string>(), relations: new Set<string>() };
  for (const { does, head, relation, tail } of changes) {
    if (does !== 'add') continue;
    for (const end of [head, tail]) if (entries.entities.has(end)) used.entities.add(end);
    if (entries.relations.has(relation)) used.relations.add(relation);
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
      isUnused('entities', head) || isUnused('entities', tail) || isUnused('relations', relation),
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
