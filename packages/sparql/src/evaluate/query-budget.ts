import { FuzzError } from '@fuzzqe/core';

/** How many triples a millisecond of one core looks at. */
const triplesPerMillisecond = 1000;

/** What a query may take, in milliseconds of one core. */
export interface QueryBudget {
  /** Milliseconds so far. */
  readonly spent: number;
  /** @throws FuzzError `cost`: the query takes too long. */
  spend(milliseconds: number): void;
  /** Counts triples that are looked at. Throws: as `spend`. */
  look(triples: number): void;
}

/** A budget of so many milliseconds of one core. */
export function createBudget(limit: number): QueryBudget {
  let spent = 0;
  const spend = (milliseconds: number): void => {
    spent += milliseconds;
    if (spent <= limit) return;
    throw new FuzzError(
      'cost',
      `query: expected one that takes at most ${limit} ms of one core, got one that takes longer`,
      {
        hint: 'Name entities or relations in its patterns, add LIMIT, or ask for recorded facts with ?recorded=true.',
      },
    );
  };
  return {
    get spent() {
      return spent;
    },
    spend,
    look: (triples) => spend(triples / triplesPerMillisecond),
  };
}
