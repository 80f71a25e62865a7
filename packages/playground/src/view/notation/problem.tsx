import type { JSX } from 'preact';
import type { TypedProblem } from './typed-problem.ts';

/** What is wrong with a text, where, and what to do; a text that may be right can be tried again. */
export function Problem({
  id,
  problem: { message, hint, line, column, isOfText },
  onAgain,
}: {
  readonly id: string;
  readonly problem: TypedProblem;
  readonly onAgain: () => void;
}): JSX.Element {
  return (
    <>
      <p class="problem small" id={id} role="alert">
        {line === undefined ? '' : `Line ${line}, column ${column}: `}
        {message}
        {hint === undefined ? '' : ` ${hint}`}
      </p>
      {isOfText ? null : (
        <button type="button" class="button again" onClick={onAgain}>
          Try again
        </button>
      )}
    </>
  );
}
