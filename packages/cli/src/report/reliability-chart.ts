import type { Reliability } from '@fuzzqe/bundle';
import { html } from 'hono/html';
import { figureTable, type Html } from './page-parts.ts';

const [width, height] = [560, 320];
const margin = { left: 56, right: 16, top: 12, bottom: 44 };
const ticks = [0, 0.2, 0.4, 0.6, 0.8, 1];

/** Stated probabilities and the share of them that was found, a point and a row for each tenth, as a figure with inline SVG and a table. */
export function reliabilityFigure(title: string, { bins, ece, count }: Reliability): Html {
  const x = (share: number): string =>
    (margin.left + share * (width - margin.left - margin.right)).toFixed(1);
  const y = (share: number): string =>
    (height - margin.bottom - share * (height - margin.top - margin.bottom)).toFixed(1);
  const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
  const table = figureTable(
    ['said', 'came true', 'how many'],
    bins.map((bin) => [percent(bin.stated), percent(bin.found), `${bin.count}`]),
  );
  const label = `${title}: expected calibration error ${ece.toFixed(4)} over ${count}`;
  const path = bins.map(({ stated, found }, i) => `${i === 0 ? 'M' : 'L'}${x(stated)} ${y(found)}`).join('');
  return html`<figure><figcaption>${label}</figcaption><svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${label}">${ticks.map(
    (tick) =>
      html`<line class="grid" x1="${margin.left}" x2="${width - margin.right}" y1="${y(tick)}" y2="${y(tick)}"/><text class="end" x="${margin.left - 8}" y="${Number(y(tick)) + 4}">${100 * tick} %</text><text class="middle" x="${x(tick)}" y="${height - 26}">${100 * tick} %</text>`,
  )}<text class="middle" x="${x(0.5)}" y="${height - 8}">stated probability; upwards the share that was found</text><line class="mark" x1="${x(0)}" y1="${y(0)}" x2="${x(1)}" y2="${y(1)}"/><path class="line" d="${path}"/>${bins.map(
    ({ count, stated, found }) =>
      html`<circle cx="${x(stated)}" cy="${y(found)}" r="4"><title>stated ${percent(stated)}, found ${percent(found)} of ${count} candidates</title></circle>`,
  )}</svg>${table}</figure>`;
}
