import type { JSX } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

/** A button that keeps the focus where it can do nothing, and that asks in its place before it takes something away. */
export function ConfirmButton({
  title,
  question,
  kind = '',
  isPossible = true,
  asks = true,
  onConfirm,
}: {
  readonly title: string;
  /** What is asked: `Clear the question?` */
  readonly question: string;
  /** A further class of the button. */
  readonly kind?: string;
  readonly isPossible?: boolean;
  /** Whether there is something to lose. */
  readonly asks?: boolean;
  readonly onConfirm: () => void;
}): JSX.Element {
  const [isAsking, setAsking] = useState(false);
  const place = useRef<HTMLSpanElement>(null);
  const focusFirst = useRef(false);
  useLayoutEffect(() => {
    // The button that was pressed went away, and took the focus along.
    if (focusFirst.current) place.current?.querySelector('button')?.focus();
    focusFirst.current = false;
  }, [isAsking]);
  const turn = (next: boolean): void => {
    focusFirst.current = true;
    setAsking(next);
  };
  return (
    <span ref={place} class="confirm">
      {isAsking ? (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset would have a frame of its own.
        <span
          role="group"
          aria-label={question}
          onKeyDown={(event) => {
            if (event.key === 'Escape') turn(false);
          }}
        >
          <span class="small">{question}</span>
          <button
            type="button"
            class="button primary"
            onClick={() => {
              turn(false);
              onConfirm();
            }}
          >
            Clear
          </button>
          <button type="button" class="button plain" onClick={() => turn(false)}>
            Keep
          </button>
        </span>
      ) : (
        <button
          type="button"
          class={`button ${kind}`}
          aria-disabled={!isPossible}
          onClick={() => {
            if (isPossible && asks) turn(true);
            else if (isPossible) onConfirm();
          }}
        >
          {title}
        </button>
      )}
    </span>
  );
}
