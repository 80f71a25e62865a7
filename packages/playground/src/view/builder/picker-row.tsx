import type { JSX } from 'preact';

/** A row of the list of a picker. */
export function PickerRow({
  id,
  name,
  detail,
  isActive,
  isStale,
  widens = false,
  onPick,
}: {
  readonly id: string;
  readonly name: string;
  readonly detail: string | undefined;
  readonly isActive: boolean;
  readonly isStale: boolean;
  /** Whether it has more of them found, and so is in sight all the time. */
  readonly widens?: boolean;
  readonly onPick: () => void;
}): JSX.Element {
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus, as the pattern asks.
    // biome-ignore lint/a11y/useKeyWithClickEvents: keys go to the field.
    <div
      id={id}
      class={widens ? 'widen' : undefined}
      role="option"
      aria-selected={isActive}
      aria-disabled={isStale}
      onPointerDown={(event) => event.preventDefault()}
      onClick={onPick}
    >
      <span>{name}</span>
      {detail === undefined ? null : <span class="soft small">{detail}</span>}
    </div>
  );
}
