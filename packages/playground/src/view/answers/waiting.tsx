import type { JSX } from 'preact';

/** Stands for answers until they come. */
export function Waiting(): JSX.Element {
  return (
    <div class="waiting" role="status">
      <span class="hidden">Asking</span>
      {[70, 52, 61, 44, 56].map((width) => (
        <span key={width} class="waiting-row" style={{ width: `${width}%` }} />
      ))}
    </div>
  );
}
