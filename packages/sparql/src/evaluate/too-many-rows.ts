import { FuzzError } from '@fuzzqe/core';

/** The error about more rows than a query may have. */
export function tooManyRows(most: number): FuzzError {
  return new FuzzError('range', `query: expected at most ${most} rows, got more`, {
    hint: 'Add LIMIT, count them, or ask for less.',
  });
}
