import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import { countSentence, exactSentence, yesOrNo } from '../../pattern/table-words.ts';
import { writeTable } from '../../pattern/write-table.ts';
import { LeastDegree, Toggle } from '../answers/answer-settings.tsx';
import { BrowserProgress, Comparison } from '../answers/comparison.tsx';
import { Legend } from '../answers/legend.tsx';
import { TakeAnswers } from '../answers/take-answers.tsx';
import { Waiting } from '../answers/waiting.tsx';
import { FaultBox } from '../frame/fault-box.tsx';
import { KeyForm } from '../frame/key-form.tsx';
import type { PageState } from '../page-state.ts';
import { AnswerTable, Why } from './answer-table.tsx';

/** How many rows each press of the button adds, and how many there are at most. */
const step = 20;
const most = 200;

/** What a pattern is answered, or why it is not. */
export function PatternAnswers({ state }: { readonly state: PageState }): JSX.Element {
  const { pattern } = state;
  const title = useRef<HTMLHeadingElement>(null);
  const isAsking = pattern.isAsking.value;
  const again = (): void => {
    // The button that has the focus goes away with the fault.
    title.current?.focus();
    state.askAgain();
  };
  return (
    <section class="card answers" aria-labelledby="rows-title" aria-busy={isAsking}>
      <div class={`busy${isAsking ? ' on' : ''}`} aria-hidden="true" />
      <header class="card-head">
        <h2 id="rows-title" ref={title} tabIndex={-1}>
          Answers
        </h2>
        <LeastDegree minDegree={pattern.minDegree} />
        <Toggle title="Leave out recorded ones" isOn={pattern.onlyNew} />
        <Toggle title="Count" isOn={pattern.counts} />
      </header>
      <Comparison
        answers={pattern.findings.value}
        agreement={pattern.agreement.value}
        isTextUnread={pattern.isTextUnread.value}
      />
      <BrowserProgress state={state} onAgain={again} />
      <Body state={state} onAgain={again} />
    </section>
  );
}

function Body({
  state,
  onAgain,
}: {
  readonly state: PageState;
  readonly onAgain: () => void;
}): JSX.Element | null {
  const { pattern } = state;
  const fault = pattern.fault.value;
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
  if (!pattern.isAskable.value)
    return (
      <div class="empty">
        <p>{pattern.isOpen.value ? 'A link has no relation yet.' : 'Nothing is asked yet.'}</p>
        <p class="soft small">
          {pattern.isOpen.value
            ? 'Choose the dashed arrow, then its relation.'
            : 'Link two variables: drag from one to the other.'}
        </p>
      </div>
    );
  const [first] = pattern.findings.value;
  const isAsking = pattern.isAsking.value;
  if (first === undefined) return isAsking ? <Waiting /> : null;
  const { answer } = first;
  const { columns, rows, suggestions, warnings } = answer;
  const count = rows.length + suggestions.length;
  const isFull = columns.length > 0 && count >= pattern.k.value;
  const isTable = columns.length > 0;
  const [closed] = isTable ? [] : [...rows, ...suggestions];
  return (
    <>
      {warnings
        .filter((warning) => !warning.startsWith('not-exact'))
        .map((warning) => (
          <p class="note small" key={warning}>
            {warning.replace(/^[\w-]+: (?:\$\S*: )?/, '')}
          </p>
        ))}
      <div
        class={`answer-list${isAsking ? ' stale' : ''}${pattern.isTextUnread.value ? ' unread' : ''}`}
        role="status"
      >
        <p class="none">
          {isTable ? null : `${yesOrNo(answer)} `}
          {isTable && count === 0 ? 'No answers. ' : null}
          <span class="soft small">
            {exactSentence(answer, isFull)} {isTable ? countSentence(answer) : null}
          </span>
        </p>
      </div>
      {closed?.because?.length ? <Why row={closed} /> : null}
      {isTable && count > 0 ? <AnswerTable answer={answer} /> : null}
      <footer class="card-foot">
        <Legend />
        {isTable && count > 0 ? (
          <TakeAnswers
            files={{ csv: () => writeTable(answer) }}
            copied={() => writeTable(answer)}
            copyTitle="Copy as CSV"
          />
        ) : null}
        {isFull && pattern.k.value < most ? (
          <button
            type="button"
            class="button"
            aria-disabled={isAsking}
            onClick={() => {
              if (!isAsking) pattern.k.value = Math.min(pattern.k.value + step, most);
            }}
          >
            Show more
          </button>
        ) : null}
      </footer>
    </>
  );
}
