import { FuzzError, type FuzzErrorCode } from '@fuzzqe/core';

/** What is wrong with a change. */
export interface BadChange {
  readonly place: string;
  readonly message: string;
}

/** What changes are of. */
export type ChangedThing = 'fact' | 'entity';

const plural = { fact: 'facts', entity: 'entities' } as const;

/** How many bad changes an error names. */
const mostNamed = 10;

/** The error of changes that are refused together: the first ten, then a count. */
export function badChanges(
  code: FuzzErrorCode,
  bad: readonly BadChange[],
  hint: string,
  what: ChangedThing = 'fact',
): FuzzError {
  const [first] = bad;
  if (bad.length === 1 && first !== undefined)
    return new FuzzError(code, `${what}: ${first.message}`, { path: first.place, hint });
  const named = bad.slice(0, mostNamed).map(({ place, message }) => `\n  ${place}: ${message.slice(0, 150)}`);
  const more = bad.length > mostNamed ? `\n  and ${bad.length - mostNamed} more` : '';
  return new FuzzError(
    code,
    `${plural[what]}: got ${bad.length} bad changes, so nothing is written:${named.join('')}${more}`,
    { hint },
  );
}
