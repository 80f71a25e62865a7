import type { JSX } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import type { TypedText } from '../../question/typed-text.ts';
import type { PageState } from '../page-state.ts';
import { Problem } from './problem.tsx';
import { problemOf } from './typed-problem.ts';

/** A field for a text that is read as it is typed, with what is wrong with it. */
export function NotationField({
  state,
  typed,
  label,
  placeholder,
  leastRows = 2,
}: {
  readonly state: PageState;
  readonly typed: TypedText;
  readonly label: string;
  readonly placeholder: string;
  readonly leastRows?: number;
}): JSX.Element {
  const id = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  const text = typed.text.value;
  const fault = typed.fault.value;
  const problem = fault === undefined ? undefined : problemOf(fault, text);
  // A text that one source could not read may be read by the source that is asked now.
  useEffect(() => {
    if (problem?.isOfText === false) typed.again();
  }, [state.asked.value, state.browser.value.phase]);
  return (
    <>
      <textarea
        ref={field}
        class="field mono"
        aria-label={label}
        aria-invalid={problem?.isOfText === true}
        aria-describedby={problem === undefined ? undefined : id}
        rows={Math.min(Math.max(text.split('\n').length, leastRows), 16)}
        spellcheck={false}
        autocapitalize="off"
        value={text}
        placeholder={placeholder}
        onInput={(event) => typed.type(event.currentTarget.value)}
      />
      {problem === undefined ? null : (
        <Problem
          id={id}
          problem={problem}
          onAgain={() => {
            // The button goes away with the problem, and would take the focus along.
            field.current?.focus();
            typed.again();
          }}
        />
      )}
    </>
  );
}
