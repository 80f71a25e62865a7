import type { Signal } from '@preact/signals';
import type { JSX } from 'preact';

/** From which degree on entities are answers; the entities below it are suggestions. */
export function LeastDegree({ minDegree }: { readonly minDegree: Signal<number> }): JSX.Element {
  return (
    <label class="toggle small">
      Answers from <span class="number">{minDegree.value.toFixed(2)}</span>
      <input
        type="range"
        min={0.05}
        max={0.95}
        step={0.05}
        value={minDegree.value}
        onChange={(event) => {
          minDegree.value = event.currentTarget.valueAsNumber;
        }}
      />
    </label>
  );
}

/** A box for a setting that is on or off. */
export function Toggle({
  title,
  isOn,
}: {
  readonly title: string;
  readonly isOn: Signal<boolean>;
}): JSX.Element {
  return (
    <label class="toggle small">
      <input
        type="checkbox"
        checked={isOn.value}
        onChange={(event) => {
          isOn.value = event.currentTarget.checked;
        }}
      />
      {title}
    </label>
  );
}
