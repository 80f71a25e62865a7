import type { ComponentChildren, JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { factText, type SuggestedFact, type Verdict } from './desk.ts';
import type { RowNotes } from './use-row-notes.ts';

/** Accepts or rejects the fact of a row; shows what speaks against it first, and what went wrong. */
export function VerdictButtons({
  fact,
  verdict,
  notes,
  onGiven,
  children,
}: {
  readonly fact: SuggestedFact;
  /** The verdict that a second press takes back. */
  readonly verdict: Verdict | undefined;
  readonly notes: RowNotes;
  /** Told once a verdict stands. */
  readonly onGiven?: () => void;
  /** Further buttons. */
  readonly children?: ComponentChildren;
}): JSX.Element {
  const note = notes.noteOf(fact);
  const isAsking = note?.phase === 'conflicts';
  const isWriting = note?.phase === 'writing';
  const what = factText(fact);
  const place = useRef<HTMLSpanElement>(null);
  const wasAsking = useRef(false);
  useLayoutEffect(() => {
    // The buttons that were pressed went away, and took the focus along.
    if (isAsking) place.current?.querySelector<HTMLElement>('[role=group]')?.focus();
    else if (wasAsking.current) place.current?.querySelector('button')?.focus();
    wasAsking.current = isAsking;
  }, [isAsking]);
  const give = async (next: Verdict | undefined, inSpite?: boolean): Promise<void> => {
    if (await notes.give(fact, next, inSpite)) onGiven?.();
  };
  const button = (own: Verdict, word: string): JSX.Element => (
    <button
      type="button"
      class={`button verdict ${own}`}
      aria-pressed={verdict === own}
      aria-disabled={isWriting}
      aria-label={`${word}: ${what}`}
      onClick={() => void give(verdict === own ? undefined : own)}
    >
      {word}
    </button>
  );
  return (
    <span ref={place} class={isAsking ? 'verdicts against' : 'verdicts'}>
      {isAsking ? (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset would have a frame of its own.
        <span
          role="group"
          class="note"
          tabIndex={-1}
          aria-label={`Conflicts of ${what}`}
          onKeyDown={(event) => {
            if (event.key === 'Escape') notes.clear(fact);
          }}
        >
          <span>This speaks against it:</span>
          {note.against.map((message) => (
            <span key={message}>{message}</span>
          ))}
          <span class="verdicts">
            <button type="button" class="button" onClick={() => void give('accepted', true)}>
              Accept anyway
            </button>
            <button type="button" class="button plain" onClick={() => notes.clear(fact)}>
              Cancel
            </button>
          </span>
        </span>
      ) : (
        <>
          {button('accepted', 'Accept')}
          {button('rejected', 'Reject')}
          {children}
        </>
      )}
    </span>
  );
}

/** What kept a verdict from its server. */
export function RowFault({
  fact,
  notes,
}: {
  readonly fact: SuggestedFact;
  readonly notes: RowNotes;
}): JSX.Element | null {
  const note = notes.noteOf(fact);
  if (note?.phase !== 'failed') return null;
  return (
    <span class="row-fault problem small" role="alert">
      {note.fault.message} {note.fault.hint}
    </span>
  );
}
