import { FuzzError } from '@fuzzqe/core';
import type { FactBatch, FactChange, FactStore } from '../store/fact-store.ts';
import { factText } from '../store/net-changes.ts';

/** The batches after an epoch. */
export async function batchesOf(store: FactStore, after = 0): Promise<readonly FactBatch[]> {
  const batches: FactBatch[] = [];
  for await (const batch of store.since(after)) batches.push(batch);
  return batches;
}

/** The last change of each fact, by the keys of the fact. */
export function lastChanges(batches: readonly FactBatch[]): ReadonlyMap<string, FactChange> {
  return new Map(batches.flatMap(({ changes }) => changes.map((change) => [factText(change), change])));
}

/** The code of an error, and its text with the path. Other errors are thrown on. */
export async function refusalOf(work: () => Promise<unknown>): Promise<string> {
  try {
    await work();
  } catch (cause) {
    if (!(cause instanceof FuzzError)) throw cause;
    return `${cause.code} ${cause}`;
  }
  return 'none';
}
