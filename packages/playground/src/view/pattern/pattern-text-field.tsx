import type { JSX } from 'preact';
import { useId, useRef } from 'preact/hooks';
import type { PatternState } from '../../pattern/pattern-state.ts';
import { problemOf } from '../notation/problem.ts';

/** The pattern as text, which may be typed as well; it follows what is drawn. */
export function PatternTextField({ pattern }: { readonly pattern: PatternState }): JSX.Element {
  const id = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  const text = pattern.text.value;
  const fault = pattern.textFault.value;
  const problem = fault === undefined ? undefined : problemOf(fault, text);
  return (
    <section class="card notation" aria-label="The pattern in writing">
      <div class="notation-body">
        <label class="picker-label" for={id}>
          The pattern as text
        </label>
        <textarea
          ref={field}
          id={id}
          class="field mono"
          aria-invalid={problem?.isOfText === true}
          aria-describedby={problem === undefined ? undefined : `${id}-problem`}
          rows={2}
          spellcheck={false}
          autocapitalize="off"
          value={text}
          placeholder="?x, ?y : relation(?x, ?y), not other(?y, An entity)"
          onInput={(event) => pattern.type(event.currentTarget.value)}
        />
        {problem === undefined ? null : (
          <p class="problem small" id={`${id}-problem`} role="alert">
            {problem.line === undefined ? '' : `Line ${problem.line}, column ${problem.column}: `}
            {problem.message}
            {problem.hint === undefined ? '' : ` ${problem.hint}`}
          </p>
        )}
        {problem === undefined || problem.isOfText ? null : (
          <button
            type="button"
            class="button again"
            onClick={() => {
              // This button goes away with the problem, and would take the focus along.
              field.current?.focus();
              void pattern.read();
            }}
          >
            Try again
          </button>
        )}
      </div>
    </section>
  );
}
