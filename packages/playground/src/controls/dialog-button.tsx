import type { JSX } from 'preact';

/** A button that opens a dialog, and says so to assistive technology. */
export function DialogButton({
  title,
  isPossible = true,
  onOpen,
}: {
  readonly title: string;
  readonly isPossible?: boolean;
  readonly onOpen: () => void;
}): JSX.Element {
  return (
    <button type="button" class="button plain" disabled={!isPossible} aria-haspopup="dialog" onClick={onOpen}>
      {title}
    </button>
  );
}
