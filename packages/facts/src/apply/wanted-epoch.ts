import { FuzzError, schema } from '@fuzzqe/core';

/** The header with the epoch of the facts of an answer. */
export const epochHeader = 'fuzzqe-epoch';
/** The header of a request with the epoch that its answer needs at least. */
export const atLeastHeader = 'fuzzqe-at-least';

const epochText = schema.integerText({ min: 0 });

/** The epoch that a request asks for. Throws: `usage`. */
export function wantedEpoch(text: string): number {
  const [issue] = schema.issuesOf(epochText, text);
  if (issue === undefined) return Number(text);
  throw new FuzzError('usage', `${atLeastHeader}: ${issue.message}`, {
    path: atLeastHeader,
    hint: 'Send the fuzzqe-epoch of an answer.',
  });
}

/** What a request hears whose epoch is not there yet. */
export function epochNotThere(wanted: number, epoch: number): FuzzError {
  return new FuzzError('runtime', `${atLeastHeader}: expected epoch ${wanted}, got ${epoch}`, {
    passing: true,
    retryAfter: 1,
    toCallers: `The facts are at epoch ${epoch}, and not yet at ${wanted}.`,
  });
}
