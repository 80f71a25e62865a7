import { FuzzError } from '../errors.ts';
import { createLongMap, type LongMap } from './long-map.ts';
import type { NameEntry } from './vocabulary.ts';

/** Finds entries by name. */
export interface NameIndex {
  /** The entries that a name means: one by its key; else all with that label; else all with it in another case. */
  lookUp(name: string): readonly number[];
  /** The entry of that key. */
  ofKey(key: string): number | undefined;
}

/**
 * Indexes entries by key and label.
 *
 * @throws FuzzError `data`: a key that is empty or given twice.
 */
export function createNameIndex(kind: string, entries: readonly NameEntry[]): NameIndex {
  const byKey = createLongMap<number>();
  entries.forEach(({ key }, i) => {
    const earlier = byKey.get(key);
    if (key === '' || earlier !== undefined) {
      const got = key === '' ? 'an empty one' : `${JSON.stringify(key)}, which ${kind} ${earlier} has`;
      throw new FuzzError('data', `key of ${kind} ${i}: expected one of its own, got ${got}`, {
        path: `${kind}[${i}].key`,
        hint: 'Labels may repeat; keys may not.',
      });
    }
    byKey.set(key, i);
  });

  // Made when first asked for: training never looks up a label.
  let byLabel: LongMap<number[]> | undefined;
  let byFoldedLabel: LongMap<number[]> | undefined;
  const fold = (label: string): string => label.toLowerCase();

  return {
    ofKey: (key) => byKey.get(key),
    lookUp(name) {
      const id = byKey.get(name);
      if (id !== undefined) return [id];
      byLabel ??= group(entries, (label) => label);
      const exact = byLabel.get(name);
      if (exact !== undefined) return exact;
      byFoldedLabel ??= group(entries, fold);
      return byFoldedLabel.get(fold(name)) ?? [];
    },
  };
}

function group(entries: readonly NameEntry[], nameOf: (label: string) => string): LongMap<number[]> {
  const groups = createLongMap<number[]>();
  entries.forEach(({ label }, i) => {
    if (label === '') return;
    const name = nameOf(label);
    const members = groups.get(name);
    if (members === undefined) groups.set(name, [i]);
    else members.push(i);
  });
  return groups;
}
