import { FuzzError } from '@fuzzqe/core';

/** The error of a batch of which a store does not say whether it has the batch: to send the batch again is safe with a key. */
export function perhapsKept(message: string, path: string, cause: unknown): FuzzError {
  return new FuzzError('storage', `${message}: the batch may be kept`, {
    path,
    hint: 'Send the batch again with the same idempotency key.',
    passing: true,
    cause,
  });
}
