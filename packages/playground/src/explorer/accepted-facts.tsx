import { FuzzError } from '@fuzzqe/core';
import { areIriKeys } from '@fuzzqe/sparql/format';
import type { JSX } from 'preact';
import { useId, useMemo, useRef, useState } from 'preact/hooks';
import { ConfirmButton } from '../controls/confirm-button.tsx';
import { download } from '../controls/download.ts';
import type { NamedRelation } from '../question/names.ts';
import { acceptedFacts, type Desk, factKey, factText, type SuggestedFact } from './desk.ts';
import { FactWords } from './fact-words.tsx';
import { beginningsBelow, usualBeginnings, writeNTriples } from './n-triples.ts';
import { useRowNotes } from './use-row-notes.ts';
import type { Verdicts } from './use-verdicts.ts';
import { RowFault } from './verdict-buttons.tsx';

/** The accepted facts, and on a server the rejected ones as well: to be looked over, taken back, and taken along as N-Triples. */
export function AcceptedFacts({
  verdicts: { desk, changeDesk, judging, refusal, give },
  relations,
}: {
  readonly verdicts: Verdicts;
  /** The relations of the graph, which say whether its keys are IRIs. */
  readonly relations: readonly NamedRelation[];
}): JSX.Element {
  const notes = useRowNotes(give);
  const isServer = judging !== undefined;
  const id = useId();
  const title = useRef<HTMLHeadingElement>(null);
  const [base, setBase] = useState('');
  /** What was cleared, to be brought back. */
  const [cleared, setCleared] = useState<Desk>([]);
  const accepted = acceptedFacts(desk);
  const rejected = desk.length - accepted.length;
  const { text, problem } = useMemo(
    () => writtenBelow(base, acceptedFacts(desk), areIriKeys(relations)),
    [base, desk, relations],
  );
  return (
    <section class="card" aria-labelledby={`${id}-title`}>
      <div class="card-head">
        <h2 id={`${id}-title`} ref={title} tabIndex={-1}>
          {isServer ? 'Judged' : 'Accepted'}
        </h2>
        <span class="soft small number" aria-live="polite">
          {accepted.length} accepted, {rejected} rejected
        </span>
      </div>
      <ul class="fact-list">
        {desk.map(({ fact, verdict, isWritten }) =>
          // What a server has as rejected is suggested nowhere, so that it is taken back here.
          verdict === 'accepted' || isServer || isWritten === true ? (
            <li key={factKey(fact)} class="fact-row" aria-busy={notes.noteOf(fact)?.phase === 'writing'}>
              <span class="fact-text">
                <FactWords head={fact.head.label} relation={fact.relation.label} tail={fact.tail.label} />
                {isServer ? (
                  <span class="soft small">
                    {' '}
                    ({verdict}
                    {isWritten === true ? '' : ', in this browser alone'})
                  </span>
                ) : null}
              </span>
              <button
                type="button"
                class="button plain"
                aria-label={`Take back: ${factText(fact)}`}
                onClick={() => {
                  // The button goes with its fact.
                  title.current?.focus();
                  void notes.give(fact, undefined);
                }}
              >
                Take back
              </button>
              <RowFault fact={fact} notes={notes} />
            </li>
          ) : null,
        )}
      </ul>
      {refusal === undefined ? null : (
        <p class="fact-note problem" role="alert">
          {refusal.message} {refusal.hint} Verdicts stay in this browser.
        </p>
      )}
      {desk.length === 0 && isServer ? (
        <p class="fact-note soft">
          Accept and reject suggestions: the server keeps each verdict, and everybody's answers follow it at
          once. Here you can take back what you judged in this browser.
        </p>
      ) : accepted.length === 0 && !isServer ? (
        <p class="fact-note soft">Accept suggestions to collect them here. They stay in this browser.</p>
      ) : accepted.length === 0 ? null : (
        <div class="export">
          <label class="small soft" for={`${id}-base`}>
            Base of names that are no IRIs
          </label>
          <input
            id={`${id}-base`}
            class="field mono"
            type="text"
            placeholder={usualBeginnings.entity}
            value={base}
            aria-invalid={problem !== undefined}
            aria-describedby={problem === undefined ? undefined : `${id}-problem`}
            spellcheck={false}
            onInput={(event) => setBase(event.currentTarget.value)}
          />
          {problem === undefined ? null : (
            <p id={`${id}-problem`} class="problem small">
              {problem}
            </p>
          )}
          <textarea
            class="field mono n-triples"
            readOnly
            rows={Math.min(accepted.length + 2, 10)}
            aria-label="N-Triples"
            value={text}
          />
        </div>
      )}
      {desk.length === 0 ? null : (
        <div class="card-foot">
          <button
            type="button"
            class="button primary"
            disabled={accepted.length === 0 || problem !== undefined}
            onClick={() => download('accepted.nt', text)}
          >
            Download N-Triples
          </button>
          <ConfirmButton
            title="Clear the desk"
            question={isServer ? 'Clear this list? The server keeps its verdicts.' : 'Clear all verdicts?'}
            onConfirm={() => {
              title.current?.focus();
              setCleared(desk);
              changeDesk(() => []);
            }}
          />
        </div>
      )}
      {desk.length > 0 || cleared.length === 0 ? null : (
        <div class="card-foot">
          <span class="small soft">The desk was cleared.</span>
          <button
            type="button"
            class="button"
            onClick={() => {
              title.current?.focus();
              setCleared([]);
              changeDesk(() => cleared);
            }}
          >
            Undo
          </button>
        </div>
      )}
    </section>
  );
}

function writtenBelow(
  base: string,
  facts: readonly SuggestedFact[],
  areIris: boolean,
): { readonly text: string; readonly problem?: string } {
  try {
    return { text: writeNTriples(facts, beginningsBelow(base), areIris) };
  } catch (error) {
    if (!(error instanceof FuzzError)) throw error;
    return {
      text: writeNTriples(facts, usualBeginnings, areIris),
      problem: `${error.message}. ${error.hint ?? ''}`,
    };
  }
}
