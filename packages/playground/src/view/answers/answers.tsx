import type { JSX, RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { completeParts } from '../../ask/complete-parts.ts';
import { markMeanings, marks } from '../../ask/mark-of.ts';
import { toQuery } from '../../question/to-query.ts';
import { FaultBox } from '../frame/fault-box.tsx';
import { KeyForm } from '../frame/key-form.tsx';
import type { PageState } from '../page-state.ts';
import { AnswerRow } from './answer-row.tsx';
import { BrowserProgress, Comparison } from './comparison.tsx';

/** How many answers each press of the button adds. */
const step = 20;
const mostAnswers = 200;

/** A server refuses to look for more answers than there are entities. */
const mostOf = ({ model }: PageState): number => Math.min(mostAnswers, model.entities);

/** What the question is answered, or why it is not. */
export function Answers({ state }: { readonly state: PageState }): JSX.Element {
  const isAsking = state.isAsking.value;
  const title = useRef<HTMLHeadingElement>(null);
  const again = (): void => {
    // The button that has the focus goes away with the fault.
    title.current?.focus();
    state.askAgain();
  };
  return (
    <section class="card answers" aria-labelledby="answers-title" aria-busy={isAsking}>
      <div class={`busy${isAsking ? ' on' : ''}`} aria-hidden="true" />
      <header class="card-head">
        <h2 id="answers-title" ref={title} tabIndex={-1}>
          Answers
        </h2>
        <label class="toggle small">
          <input
            type="checkbox"
            checked={state.onlyNew.value}
            onChange={(event) => {
              state.onlyNew.value = event.currentTarget.checked;
            }}
          />
          Leave out recorded ones
        </label>
      </header>
      <Comparison state={state} />
      <BrowserProgress state={state} onAgain={again} />
      <AnswerBody state={state} title={title} onAgain={again} />
    </section>
  );
}

function AnswerBody({
  state,
  title,
  onAgain,
}: {
  readonly state: PageState;
  readonly title: RefObject<HTMLHeadingElement | null>;
  readonly onAgain: () => void;
}): JSX.Element | null {
  /** Whether the button asked for more. */
  const hasAsked = useRef(false);
  const { answers: found } = state.findings.value;
  const fault = state.fault.value;
  const isAsking = state.isAsking.value;
  const question = state.question.value;
  const [first] = found;
  const isMore =
    first !== undefined && first.answer.answers.length >= state.k.value && state.k.value < mostOf(state);
  useEffect(() => {
    if (isAsking || !hasAsked.current) return;
    hasAsked.current = false;
    // The last answers remove the button that had the focus.
    if (!isMore || fault !== undefined) title.current?.focus();
  }, [isAsking, isMore, fault]);
  // Keys are taken back while pages are open.
  if (fault?.fault === 'key')
    return (
      <div class="fault-box">
        <KeyForm
          wasRefused={state.hasKey()}
          onKey={(key) => {
            state.giveKey(key);
            onAgain();
          }}
        />
      </div>
    );
  if (fault !== undefined) return <FaultBox fault={fault} onAgain={onAgain} />;
  if (toQuery(question) === undefined) {
    const begun = completeParts(question).length > 0;
    return (
      <div class="empty">
        <p>{begun ? 'Something in the question is still open.' : 'Nothing is asked yet.'}</p>
        <p class="soft small">
          {begun
            ? 'Fill the dashed places of the graph; its parts already show their best entities.'
            : 'Pick an entity, or begin with an example.'}
        </p>
      </div>
    );
  }
  if (first === undefined) return isAsking ? <Waiting /> : null;
  const { answers, warnings } = first.answer;
  return (
    <>
      {warnings.map((warning) => (
        <p class="note small" key={warning}>
          {warning.replace(/^[\w-]+: (?:\$\S*: )?/, '')}
        </p>
      ))}
      {answers.length === 0 ? (
        <div class="empty">
          <p>No answers.</p>
          <p class="soft small">
            {state.onlyNew.value
              ? 'No entity answers this that is not recorded. Those that are recorded are left out.'
              : 'No entity answers this with a degree above 0. Try to leave a part out, or “or” in place of “and”.'}
          </p>
        </div>
      ) : (
        <ol
          class={`answer-list${isAsking ? ' stale' : ''}${state.isTextUnread.value ? ' unread' : ''}`}
          aria-label="Answers, best first"
        >
          {answers.map((answer) => (
            <AnswerRow key={answer.id} answer={answer} state={state} />
          ))}
        </ol>
      )}
      <footer class="card-foot">
        <Legend />
        {isMore || (isAsking && hasAsked.current) ? (
          <button
            type="button"
            class="button"
            aria-disabled={isAsking}
            onClick={() => {
              if (isAsking) return;
              hasAsked.current = true;
              state.k.value = Math.min(state.k.value + step, mostOf(state));
            }}
          >
            Show more
          </button>
        ) : null}
      </footer>
    </>
  );
}

function Legend(): JSX.Element {
  return (
    <dl class="legend small">
      {marks.map((mark) => (
        <div key={mark}>
          <dt>
            <span class={`mark ${mark}`} aria-hidden="true" /> {mark}
          </dt>
          <dd class="soft">{markMeanings[mark]}</dd>
        </div>
      ))}
    </dl>
  );
}

function Waiting(): JSX.Element {
  return (
    <div class="waiting" role="status">
      <span class="hidden">Asking</span>
      {[70, 52, 61, 44, 56].map((width) => (
        <span key={width} class="waiting-row" style={{ width: `${width}%` }} />
      ))}
    </div>
  );
}
