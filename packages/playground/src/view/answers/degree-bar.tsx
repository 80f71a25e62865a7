import type { JSX } from 'preact';

/** A degree in [0, 1] as a bar and a number. */
export function DegreeBar({
  degree,
  kind = 'recorded',
}: {
  readonly degree: number;
  readonly kind?: string;
}): JSX.Element {
  return (
    <span class="degree">
      <span class="degree-track" aria-hidden="true">
        <span class={`degree-bar ${kind}`} style={{ width: `${Math.max(degree * 100, 1)}%` }} />
      </span>
      <span class="number">{degree.toFixed(3)}</span>
    </span>
  );
}
