import type { IndexHits, IndexSearch } from '@fuzzqe/engine';

/** A row that was found, with its inner product as the database keeps it. */
export interface Hit {
  readonly id: number;
  readonly score: number;
}

/** The k best of some hits, ties to the lower id. Default: all, in their order. */
export function bestHits(hits: readonly Hit[], k: number = hits.length): IndexHits {
  const best = hits.toSorted((a, b) => b.score - a.score || a.id - b.id).slice(0, k);
  return {
    ids: Int32Array.from(best, ({ id }) => id),
    scores: Float32Array.from(best, ({ score }) => score),
  };
}

/** What is allowed and not excluded; undefined where all may be found that is not excluded. Shape: [n], ascending. */
export function openIds({
  allowed,
  excluded,
}: Pick<IndexSearch, 'allowed' | 'excluded'>): Int32Array | undefined {
  if (allowed === undefined || excluded === undefined) return allowed;
  const left = new Set(excluded);
  return allowed.filter((id) => !left.has(id));
}

/** The most ids that a condition lists, where a database reads them as text. */
const mostListed = 20_000;

/** What is found among some ids, which are looked up in parts where they are many; each part gives its best. */
export async function hitsAmong(
  ids: Int32Array,
  look: (part: Int32Array) => Promise<readonly Hit[]>,
): Promise<readonly Hit[]> {
  const hits: Hit[] = [];
  for (let from = 0; from < ids.length; from += mostListed)
    hits.push(...(await look(ids.subarray(from, from + mostListed))));
  return hits;
}
