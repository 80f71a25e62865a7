import type { SetsAnswerEntity } from '@fuzzqe/engine';
import type { JSX, RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { answerGroups } from '../../ask/answer-groups.ts';
import { completeParts } from '../../ask/complete-parts.ts';
import { writeAnswers } from '../../ask/write-answers.ts';
import { toQuery } from '../../question/to-query.ts';
import { FaultBox } from '../frame/fault-box.tsx';
import { KeyForm } from '../frame/key-form.tsx';
import type { PageState } from '../page-state.ts';
import { AnswerRow } from './answer-row.tsx';
import { LeastDegree, Toggle } from './answer-settings.tsx';
import { BrowserProgress, Comparison } from './comparison.tsx';
import { Legend } from './legend.tsx';
import { TakeAnswers } from './take-answers.tsx';
import { Waiting } from './waiting.tsx';

/** How many answers and suggestions each press of the button adds. */
const step = 20;
const mostAnswers = 200;

/** A server refuses to look for more answers than there are entities. */
const mostOf = ({ model }: PageState): number => Math.min(mostAnswers, model.entities);

/** What the question is answered, or why it is not. */
export function Answers({ state }: { readonly state: PageState }): JSX.Element {
  const isAsking = state.isAsking.value;
  const { answers: found, agreement } = state.findings.value;
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
        <LeastDegree minDegree={state.minDegree} />
        <Toggle title="Leave out recorded ones" isOn={state.onlyNew} />
      </header>
      <Comparison answers={found} agreement={agreement} isTextUnread={state.isTextUnread.value} />
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
    first !== undefined &&
    first.answer.answers.length + first.answer.suggestions.length >= state.k.value &&
    state.k.value < mostOf(state);
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
  const { answers, suggestions, warnings } = first.answer;
  // A visitor who asked nothing yet sees at once why the model predicts an entity.
  const opened =
    state.isWelcome && !state.canUndo.value ? (answerGroups(answers)[1][0] ?? suggestions[0])?.id : undefined;
  return (
    <>
      {warnings.map((warning) => (
        <p class="note small" key={warning}>
          {warning.replace(/^[\w-]+: (?:\$\S*: )?/, '')}
        </p>
      ))}
      {answers.length + suggestions.length === 0 ? (
        <div class="empty">
          <p>No answers.</p>
          <p class="soft small">
            {state.onlyNew.value
              ? 'No entity answers this that is not recorded. Those that are recorded are left out.'
              : 'Nothing is recorded, and the model suggests nothing. Try to leave a part out, or “or” in place of “and”.'}
          </p>
        </div>
      ) : (
        <div class={`answer-list${isAsking ? ' stale' : ''}${state.isTextUnread.value ? ' unread' : ''}`}>
          {answers.length === 0 ? (
            <p class="soft small none">
              {state.onlyNew.value
                ? 'No answers beyond the recorded ones, which are left out.'
                : 'No answers: nothing is recorded, and nothing is likely enough.'}
            </p>
          ) : (
            <Groups rows={answers} state={state} opened={opened} />
          )}
          {suggestions.length === 0 ? null : (
            <>
              <h3 class="group">
                Suggestions <span class="soft small">below the degree of an answer: check them</span>
              </h3>
              <Rows title="Suggestions, best first" rows={suggestions} state={state} opened={opened} />
            </>
          )}
        </div>
      )}
      <footer class="card-foot">
        <Legend />
        <TakeAnswers
          files={{
            csv: () => writeAnswers(first.answer, 'csv'),
            json: () => writeAnswers(first.answer, 'json'),
          }}
          copied={() => writeAnswers(first.answer, 'txt')}
        />
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

/** Answers by recorded facts, and answers that the model predicts, each group best first. */
function Groups({
  rows,
  state,
  opened,
}: {
  readonly rows: readonly SetsAnswerEntity[];
  readonly state: PageState;
  readonly opened: number | undefined;
}): JSX.Element {
  const [recorded, predicted] = answerGroups(rows);
  return (
    <>
      {recorded.length === 0 ? null : (
        <>
          <h3 class="group">
            Recorded <span class="soft small">the facts of the graph give them</span>
          </h3>
          <Rows title="Recorded answers, best first" rows={recorded} state={state} />
        </>
      )}
      {predicted.length === 0 ? null : (
        <>
          <h3 class="group">
            Predicted <span class="soft small">the model expects them, at least in part</span>
          </h3>
          <Rows title="Predicted answers, best first" rows={predicted} state={state} opened={opened} />
        </>
      )}
    </>
  );
}

function Rows({
  title,
  rows,
  state,
  opened,
}: {
  readonly title: string;
  readonly rows: readonly SetsAnswerEntity[];
  readonly state: PageState;
  readonly opened?: number | undefined;
}): JSX.Element {
  return (
    <ol aria-label={title}>
      {rows.map((answer) => (
        <AnswerRow key={answer.id} answer={answer} state={state} isOpen={answer.id === opened} />
      ))}
    </ol>
  );
}
