import type { JSX } from 'preact';

/** A button that keeps the focus where what it does is no longer possible. */
export function Action({
  title,
  isPossible,
  act,
}: {
  readonly title: string;
  readonly isPossible: boolean;
  readonly act: () => void;
}): JSX.Element {
  return (
    <button
      type="button"
      class="button plain"
      aria-disabled={!isPossible}
      onClick={() => {
        if (isPossible) act();
      }}
    >
      {title}
    </button>
  );
}
