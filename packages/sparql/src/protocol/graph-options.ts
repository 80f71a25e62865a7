import { FuzzError } from '@fuzzqe/core';
import { leastAnswer } from '@fuzzqe/engine';
import { flagIn } from './read-request.ts';

/** Which links a query reads, by the address. */
export interface GraphOptions {
  /** The lowest degree of a link that is not recorded; undefined: recorded facts only. */
  readonly minDegree: number | undefined;
  /** Whether rows are ranked answers, as with `?degree`. */
  readonly ranked: boolean;
}

/**
 * Reads `?minDegree=`, `?recorded=` and `?ranked=`.
 *
 * @throws FuzzError `query`: another value.
 */
export function graphOptionsIn(request: Request): GraphOptions {
  const { searchParams } = new URL(request.url);
  const isRecorded = flagIn(searchParams, 'recorded');
  const [text = String(leastAnswer), ...others] = searchParams.getAll('minDegree');
  const minDegree = text.trim() === '' ? Number.NaN : Number(text);
  if (others.length > 0 || !(minDegree > 0 && minDegree <= 1))
    throw new FuzzError('query', `minDegree: expected one number in (0, 1], got ${JSON.stringify(text)}`, {
      path: 'minDegree',
      hint: 'With ?minDegree=0.7, predicted links of a degree of 0.7 or more are read.',
    });
  return { minDegree: isRecorded ? undefined : minDegree, ranked: flagIn(searchParams, 'ranked') };
}
