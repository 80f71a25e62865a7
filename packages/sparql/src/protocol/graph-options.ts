import { FuzzError } from '@fuzzqe/core';
import { leastAnswer } from '@fuzzqe/engine';
import { flagIn } from './read-request.ts';

/** Which links a query reads and what an update may create, by the address. */
export interface GraphOptions {
  /** The lowest degree of a link that is not recorded; undefined: recorded facts only. */
  readonly minDegree: number | undefined;
  /** Whether rows are ranked answers, as with `?degree`. */
  readonly ranked: boolean;
  /** Whether an update may create names. */
  readonly create: boolean;
}

/**
 * Reads `?minDegree=`, `?recorded=`, `?ranked=` and `?create=`.
 *
 * @throws FuzzError `query`: another value.
 */
export function graphOptionsIn(searchParams: URLSearchParams): GraphOptions {
  const isRecorded = flagIn(searchParams, 'recorded');
  const [text = String(leastAnswer), ...others] = searchParams.getAll('minDegree');
  const minDegree = text.trim() === '' ? Number.NaN : Number(text);
  if (others.length > 0 || !(minDegree > 0 && minDegree <= 1))
    throw new FuzzError('query', `minDegree: expected one number in (0, 1], got ${JSON.stringify(text)}`, {
      path: 'minDegree',
      hint: 'With ?minDegree=0.7, predicted links of a degree of 0.7 or more are read.',
    });
  return {
    minDegree: isRecorded ? undefined : minDegree,
    ranked: flagIn(searchParams, 'ranked'),
    create: flagIn(searchParams, 'create', 'With ?create=true, facts that come may have new names.'),
  };
}
