import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Asked, Findings } from '../../ask/findings.ts';
import { FaultBox } from '../../controls/fault-box.tsx';
import { KeyForm } from '../frame/key-form.tsx';
import type { PageState } from '../page-state.ts';
import { LeastDegree, Toggle } from './answer-settings.tsx';
import { BrowserProgress, Comparison } from './comparison.tsx';
import { Legend } from './legend.tsx';
import { Waiting } from './waiting.tsx';

/** How many answers and suggestions each press of the button adds, and how many there are at most. */
const step = 20;
const mostAnswers = 200;

/** An answer as it is shown. */
export interface ShownAnswer {
  readonly content: ComponentChildren;
  /** How to take it along; nothing where there is nothing to take. */
  readonly take?: JSX.Element | undefined;
  /** How many answers and suggestions it lists. */
  readonly count: number;
}

/** What was asked is answered, or why it is not. */
export function AnswersCard<Answer extends { readonly warnings: readonly string[] }>({
  state,
  asked,
  most = mostAnswers,
  controls,
  instead,
  show,
}: {
  readonly state: PageState;
  readonly asked: Asked<Findings<Answer>>;
  /** How many answers there can be. */
  readonly most?: number;
  /** Further controls. */
  readonly controls?: ComponentChildren;
  /** What stands there while there is nothing to ask. */
  readonly instead: JSX.Element | undefined;
  readonly show: (answer: Answer) => ShownAnswer;
}): JSX.Element {
  const title = useRef<HTMLHeadingElement>(null);
  /** Whether the button asked for more. */
  const hasAsked = useRef(false);
  const isAsking = asked.isAsking.value;
  const isUnread = asked.isTextUnread.value;
  const fault = asked.fault.value;
  const { answers, agreement } = asked.findings.value;
  const [first] = answers;
  const shown = first && show(first.answer);
  const mostHere = Math.min(mostAnswers, most);
  const isMore = shown !== undefined && shown.count >= asked.k.value && asked.k.value < mostHere;
  const again = (): void => {
    // The button that has the focus goes away with the fault.
    title.current?.focus();
    state.askAgain();
  };
  useEffect(() => {
    if (isAsking || !hasAsked.current) return;
    hasAsked.current = false;
    // The last answers remove the button that had the focus.
    if (!isMore || fault !== undefined) title.current?.focus();
  }, [isAsking, isMore, fault]);
  const body = (): ComponentChildren => {
    // Keys are taken back while pages are open.
    if (fault?.fault === 'key')
      return (
        <div class="fault-box">
          <KeyForm
            wasRefused={state.hasKey()}
            onKey={(key) => {
              state.giveKey(key);
              again();
            }}
          />
        </div>
      );
    if (fault !== undefined) return <FaultBox fault={fault} onAgain={again} />;
    if (instead !== undefined) return instead;
    if (first === undefined || shown === undefined) return isAsking ? <Waiting /> : null;
    return (
      <>
        {first.answer.warnings
          // The answers say it.
          .filter((warning) => !warning.startsWith('not-exact'))
          .map((warning) => (
            <p class="note small" key={warning}>
              {warning.replace(/^[\w-]+: (?:\$\S*: )?/, '')}
            </p>
          ))}
        <div class={`answer-list${isAsking ? ' stale' : ''}${isUnread ? ' unread' : ''}`}>
          {shown.content}
        </div>
        <footer class="card-foot">
          <Legend />
          {shown.take}
          {isMore || (isAsking && hasAsked.current) ? (
            <button
              type="button"
              class="button"
              aria-disabled={isAsking}
              onClick={() => {
                if (isAsking) return;
                hasAsked.current = true;
                asked.k.value = Math.min(asked.k.value + step, mostHere);
              }}
            >
              Show more
            </button>
          ) : null}
        </footer>
      </>
    );
  };
  return (
    <section class="card answers" aria-labelledby="answers-title" aria-busy={isAsking}>
      <div class={`busy${isAsking ? ' on' : ''}`} aria-hidden="true" />
      <header class="card-head">
        <h2 id="answers-title" ref={title} tabIndex={-1}>
          Answers
        </h2>
        <LeastDegree minDegree={asked.minDegree} />
        <Toggle title="Leave out recorded ones" isOn={asked.onlyNew} />
        {controls}
      </header>
      <Comparison answers={answers} agreement={agreement} isTextUnread={isUnread} />
      <BrowserProgress state={state} onAgain={again} />
      {body()}
    </section>
  );
}
