import { nearest } from '../input/nearest.ts';
import type { NameEntry } from './vocabulary.ts';

/**
 * The places of the entries that a search text finds, the best first.
 *
 * Order: the whole label or key; its beginning; the beginning of one of its words; anywhere in it; spelled like it.
 * Within each, shorter labels first, then lower places. Upper and lower case count as the same.
 */
export function searchNames(text: string, entries: readonly NameEntry[], limit: number): number[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === '' || limit < 1) return [];
  const found: { readonly place: number; readonly rank: number; readonly length: number }[] = [];
  entries.forEach(({ key, label }, place) => {
    const rank = Math.min(rankOf(label.toLowerCase(), wanted), rankOf(key.toLowerCase(), wanted));
    if (rank < notFound) found.push({ place, rank, length: label.length });
  });
  found.sort((a, b) => a.rank - b.rank || a.length - b.length || a.place - b.place);
  const places = found.slice(0, limit).map(({ place }) => place);
  if (places.length === limit) return places;

  const taken = new Set(places);
  const labels = entries.map(({ label }) => label);
  for (const { index } of nearest(wanted, labels, limit)) {
    if (places.length < limit && !taken.has(index)) places.push(index);
  }
  return places;
}

const notFound = 4;

function rankOf(name: string, wanted: string): number {
  const first = name.indexOf(wanted);
  if (first < 0) return notFound;
  if (first === 0) return name.length === wanted.length ? 0 : 1;
  for (let at = first; at >= 0; at = name.indexOf(wanted, at + 1)) {
    if (!wordCharacter.test(name[at - 1]!)) return 2;
  }
  return 3;
}

const wordCharacter = /[\p{L}\p{N}]/u;
