import { pageStyle } from '@fuzzqe/core/text';
import { html } from 'hono/html';
import type { HtmlEscapedString } from 'hono/utils/html';

/** Text that is escaped where it has to be. */
export type Html = HtmlEscapedString | Promise<HtmlEscapedString>;

/** A table of names and values. */
export function definitionTable(rows: readonly (readonly [string, string])[]): Html {
  return html`<table class="facts">${rows.map(
    ([name, value]) => html`<tr><th scope="row">${name}</th><td>${value}</td></tr>`,
  )}</table>`;
}

/** A table of figures: names to the left, figures to the right. */
export function figureTable(head: readonly string[], rows: readonly (readonly string[])[]): Html {
  const cell = (text: string, i: number): Html =>
    i === 0 ? html`<th scope="row">${text}</th>` : html`<td>${text}</td>`;
  return html`<div class="wide"><table class="facts figures"><tr>${head.map(
    (title) => html`<th scope="col">${title}</th>`,
  )}</tr>${rows.map((row) => html`<tr>${row.map(cell)}</tr>`)}</table></div>`;
}

/** The page's style sheet: nothing is fetched, and colours follow the reader's scheme. */
export const style: string = `${pageStyle}
:root { --series-0: var(--accent); --series-1: var(--line-strong); --series-2: var(--line); }
body { max-width: 1192px; }
p { margin: var(--space-1) 0; } .none { color: var(--ink-soft); }
.tiles { display: flex; flex-wrap: wrap; gap: var(--space-3) 36px; margin: var(--space-4) 0; }
.tiles div { display: flex; flex-direction: column; } .tiles b { font-size: 20px; font-weight: 600; }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(440px, 100%), 1fr)); gap: 20px var(--space-5); }
figure { margin: 0; min-width: 0; } .wide { overflow-x: auto; } .wide svg { min-width: 760px; }
figcaption { font-weight: 600; }
svg { display: block; width: 100%; height: auto; font: 12px var(--font); }
svg text { fill: var(--ink-soft); } svg .small { font-size: 11px; fill: var(--ink); }
.start { text-anchor: start; } .middle { text-anchor: middle; } .end { text-anchor: end; }
.grid { stroke: var(--line); } .mark { stroke: var(--recovered); stroke-dasharray: 4 3; }
.line { fill: none; stroke: var(--series-0); stroke-width: 1.6; stroke-linejoin: round; } circle { fill: var(--series-0); }
rect.series-0 { fill: var(--series-0); } rect.series-1 { fill: var(--series-1); } rect.series-2 { fill: var(--series-2); }
.legend { display: flex; flex-wrap: wrap; gap: var(--space-1) 20px; } .key { display: inline-flex; align-items: center; gap: 6px; }
.key i { width: 11px; height: 11px; border-radius: 2px; } i.series-0 { background: var(--series-0); }
i.series-1 { background: var(--series-1); } i.series-2 { background: var(--series-2); }
.facts th { font-weight: 400; color: var(--ink-soft); padding: 2px 20px 2px 0; } .facts td { padding: 2px 0; overflow-wrap: anywhere; }
.figures th { text-align: left; } .figures td, .figures th[scope=col] + th { text-align: right; padding-right: 20px; }
`;

/** Round numbers that divide a range into about `count` parts; the first and the last enclose it. */
export function ticks(low: number, high: number, count: number): number[] {
  const span = high > low ? high - low : Math.abs(low) || 1;
  const power = 10 ** Math.floor(Math.log10(span / count));
  const size = [1, 2, 5, 10].map((factor) => factor * power).find((each) => span / each <= count)!;
  const first = Math.floor(low / size + 1e-9);
  const last = Math.max(first + 1, Math.ceil(high / size - 1e-9));
  return Array.from({ length: last - first + 1 }, (_, i) => Number(((first + i) * size).toPrecision(12)));
}

/** A number as an axis shows it: `2 500`, `0.004`, `4e-5`. */
export function tickText(value: number): string {
  if (value === 0) return '0';
  if (Math.abs(value) < 1e-3) return value.toExponential().replace('e-', 'e−');
  return String(value).replaceAll(/\B(?=(\d{3})+$)/g, Number.isInteger(value) ? '\u2009' : '');
}
