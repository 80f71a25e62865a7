import { describeValue, FuzzError } from '@fuzzqe/core';

/**
 * Refuses an epoch after which a store cannot give its batches.
 *
 * @param last the epoch of the store.
 * @param compacted the epoch up to which batches were joined; 0 if none were.
 * @throws FuzzError `range`.
 */
export function expectEpoch(epoch: number, last: number, compacted: number): void {
  const expected = `epoch: expected an integer in [0, ${last}]`;
  if (!Number.isSafeInteger(epoch) || epoch < 0)
    throw new FuzzError('range', `${expected}, got ${describeValue(epoch)}`, { hint: 'Read from 0.' });
  if (epoch > last)
    throw new FuzzError('range', `${expected}, got ${epoch}`, {
      hint: 'The epoch is ahead of this store. Compare the id of the store, and read from 0.',
    });
  if (epoch !== 0 && epoch < compacted)
    throw new FuzzError('range', `epoch: expected 0 or at least ${compacted}, got ${epoch}`, {
      hint: 'Compaction joined the batches up to there. Read from 0.',
    });
}

/** The error of a store that is closed. */
export function closedError(path?: string): FuzzError {
  return new FuzzError('runtime', 'the store of facts is closed', {
    ...(path === undefined ? {} : { path }),
    hint: 'Open it again.',
  });
}
