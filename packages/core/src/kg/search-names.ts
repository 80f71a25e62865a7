import { createNearestNames, foldName, type NearestNames, type NearMatch } from '../input/nearest.ts';
import type { NameEntry } from './vocabulary.ts';

/** Searches the names of entries, by key and label; what that takes is prepared when it is first asked for. */
export interface NameSearch {
  /**
   * The places of the entries that a search text finds, the best first.
   *
   * Order: the whole label or key; its beginning; the beginning of one of its words; anywhere in it; spelled like it.
   * Within each, shorter labels first, then lower places. Upper and lower case count as the same, and so do spaces and
   * underscores.
   */
  search(text: string, limit: number): number[];
  /** The keys and labels that a mistyped one most likely stands for. */
  nearest(name: string, limit?: number): NearMatch[];
}

/** Prepares entries for searches. */
export function createNameSearch(entries: readonly NameEntry[]): NameSearch {
  let index: NameIndex | undefined;
  const opened = (): NameIndex => (index ??= indexNames(entries));
  return {
    search(text, limit) {
      const wanted = foldName(text.trim());
      if (wanted === '' || limit < 1) return [];
      const { names, folded, places, near } = opened();
      // The rank above the length above the place in one number: many names are found, and numbers sort fast.
      const found: number[] = [];
      for (let i = 0; i < folded.length; i++) {
        const rank = rankOf(folded[i]!, wanted);
        if (rank === undefined) continue;
        const length = Math.min(entries[places[i]!]!.label.length, longestCounted);
        found.push((rank * (longestCounted + 1) + length) * entries.length + places[i]!);
      }
      const chosen = new Set<number>();
      for (const code of Float64Array.from(found).sort()) {
        chosen.add(code % entries.length);
        if (chosen.size === limit) return [...chosen];
      }
      // Keys are often numbers, which are spelled like one another without meaning anything by it.
      const spelled = near.nearest(text, limit, (i) => names[i] === entries[places[i]!]!.label);
      for (const match of spelled) chosen.add(places[match.index]!);
      return [...chosen].slice(0, limit);
    },
    nearest: (name, limit) => opened().near.nearest(name, limit),
  };
}

const longestCounted = 4095;

interface NameIndex {
  /** Every label, and every key that is another name. */
  readonly names: readonly string[];
  /** They as names are compared. */
  readonly folded: readonly string[];
  /** The entry of each. */
  readonly places: Int32Array;
  readonly near: NearestNames;
}

function indexNames(entries: readonly NameEntry[]): NameIndex {
  const names: string[] = [];
  const places: number[] = [];
  entries.forEach(({ key, label }, place) => {
    names.push(label);
    places.push(place);
    if (key === label) return;
    names.push(key);
    places.push(place);
  });
  const folded = names.map(foldName);
  return { names, folded, places: Int32Array.from(places), near: createNearestNames(names, folded) };
}

/** 0 for the name, 1 for its beginning, 2 for the beginning of one of its words, 3 for a part. */
function rankOf(name: string, wanted: string): number | undefined {
  const first = name.indexOf(wanted);
  if (first < 0) return undefined;
  if (first === 0) return name.length === wanted.length ? 0 : 1;
  for (let at = first; at >= 0; at = name.indexOf(wanted, at + 1)) {
    if (!wordCharacter.test(name[at - 1]!)) return 2;
  }
  return 3;
}

const wordCharacter = /[\p{L}\p{N}]/u;
