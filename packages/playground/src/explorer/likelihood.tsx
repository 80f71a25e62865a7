import type { JSX } from 'preact';
import type { SuggestedFact } from './desk.ts';

/** How likely a fact is, as a bar and as a number. */
export function Likelihood({ fact: { degree } }: { readonly fact: SuggestedFact }): JSX.Element {
  return (
    <span class="degree">
      <span class="degree-track" aria-hidden="true">
        <span class="degree-bar predicted" style={{ width: `${Math.max(degree * 100, 1)}%` }} />
      </span>
      <span class="number likelihood">{percentOf(degree)}</span>
    </span>
  );
}

/** `63 %`, `1.4 %`. */
function percentOf(degree: number): string {
  const percent = 100 * degree;
  return `${percent < 10 ? percent.toFixed(1) : percent.toFixed(0)} %`;
}
