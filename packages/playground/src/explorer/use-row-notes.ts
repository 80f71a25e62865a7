import { useState } from 'preact/hooks';
import { faultOf, type SourceError } from '../sources/answer-source.ts';
import { factKey, type SuggestedFact, type Verdict } from './desk.ts';
import type { GiveVerdict } from './use-verdicts.ts';

/** What goes on with the verdict on the fact of a row. */
export type RowNote =
  | { readonly phase: 'writing' }
  | { readonly phase: 'conflicts'; readonly against: readonly string[] }
  | { readonly phase: 'failed'; readonly fault: SourceError };

/** What goes on in the rows of a list. */
export interface RowNotes {
  noteOf(fact: SuggestedFact): RowNote | undefined;
  /** Gives a verdict, or takes it back; whether it stands. */
  give(fact: SuggestedFact, verdict: Verdict | undefined, inSpite?: boolean): Promise<boolean>;
  /** Takes the note of a row away. */
  clear(fact: SuggestedFact): void;
}

/** The notes of a list whose rows take verdicts. */
export function useRowNotes(give: GiveVerdict): RowNotes {
  const [notes, setNotes] = useState<ReadonlyMap<string, RowNote>>(new Map());
  const put = (fact: SuggestedFact, note: RowNote | undefined): void =>
    setNotes((now) => {
      const next = new Map(now);
      next.delete(factKey(fact));
      if (note !== undefined) next.set(factKey(fact), note);
      return next;
    });
  const noteOf = (fact: SuggestedFact): RowNote | undefined => notes.get(factKey(fact));
  return {
    noteOf,
    async give(fact, verdict, inSpite) {
      if (noteOf(fact)?.phase === 'writing') return false;
      put(fact, { phase: 'writing' });
      try {
        const against = await give(fact, verdict, inSpite);
        put(fact, against.length === 0 ? undefined : { phase: 'conflicts', against });
        return against.length === 0;
      } catch (error) {
        put(fact, { phase: 'failed', fault: faultOf(error) });
        return false;
      }
    },
    clear: (fact) => put(fact, undefined),
  };
}
