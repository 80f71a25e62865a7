import type { Vocabulary } from '@fuzzqe/core';
import { type FactBatch, type FactChange, hasKey, type NewKeys } from '@fuzzqe/facts/apply';

/** Batches whose names a graph has, and what they lack. */
export interface KnownChanges {
  /** The batches without what is unknown. */
  readonly usable: readonly FactBatch[];
  readonly unknown: { readonly changes: readonly FactChange[]; readonly names: ReadonlySet<string> };
}

/** Leaves out what is said of a name that neither the graph has nor a batch so far creates. */
export function knownChanges(vocabulary: Vocabulary, batches: readonly FactBatch[]): KnownChanges {
  const { withoutNearNames: names } = vocabulary;
  const unknown = { changes: [] as FactChange[], names: new Set<string>() };
  const created = { entities: new Set<string>(), relations: new Set<string>() };
  const known = new Map<string, boolean>();
  const isKnown = (kind: keyof NewKeys, key: string): boolean => {
    if (created[kind].has(key)) return true;
    const found = known.get(`${kind} ${key}`) ?? hasKey(names, kind, key);
    known.set(`${kind} ${key}`, found);
    return found;
  };
  const usable = batches.flatMap((batch) => {
    for (const kind of ['entities', 'relations'] as const)
      for (const key of batch.creates?.[kind] ?? []) created[kind].add(key);
    const changes = batch.changes.filter((change) => {
      const missing = [
        ...[change.head, change.tail].filter((key) => !isKnown('entities', key)),
        ...(isKnown('relations', change.relation) ? [] : [change.relation]),
      ];
      for (const key of missing) unknown.names.add(key);
      if (missing.length > 0) unknown.changes.push(change);
      return missing.length === 0;
    });
    const { names: all = [], ...rest } = batch;
    const named = all.filter(({ key }) => {
      if (!isKnown('entities', key)) unknown.names.add(key);
      return isKnown('entities', key);
    });
    if (changes.length + named.length === 0 && batch.creates === undefined) return [];
    return [{ ...rest, ...(named.length === 0 ? {} : { names: named }), changes }];
  });
  return { usable, unknown };
}
