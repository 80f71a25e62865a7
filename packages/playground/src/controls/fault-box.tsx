import type { JSX } from 'preact';
import type { SourceError } from '../sources/answer-source.ts';

/** Why nothing was answered, and how to go on. */
export function FaultBox({
  fault,
  again = 'Ask again',
  onAgain,
}: {
  readonly fault: SourceError;
  /** What the button says. */
  readonly again?: string;
  readonly onAgain?: () => void;
}): JSX.Element {
  return (
    <div class="fault-box" role="alert">
      <p class="fault-title">{fault.message}</p>
      {fault.hint === undefined ? null : <p class="soft small">{fault.hint}</p>}
      {onAgain === undefined || fault.fault === 'refused' ? null : (
        <button type="button" class="button" onClick={onAgain}>
          {again}
        </button>
      )}
    </div>
  );
}
