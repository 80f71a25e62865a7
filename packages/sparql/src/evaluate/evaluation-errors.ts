import { FuzzError, messageOf } from '@fuzzqe/core';

/** The error about more rows than a query may have. */
export function tooManyRows(most: number): FuzzError {
  return new FuzzError('range', `query: expected at most ${most} rows, got more`, {
    hint: 'Add LIMIT, count them, or ask for less.',
  });
}

/** What the engine throws is told by its first line: the others are about parts of the engine. */
export function evaluationError(error: unknown): FuzzError {
  if (error instanceof FuzzError) return error;
  const [message] = messageOf(error).split('\n');
  return new FuzzError('query', `SPARQL: ${message}`, {
    hint: 'Use functions and operators of SPARQL 1.1.',
    cause: error,
  });
}
