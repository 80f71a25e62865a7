import { html } from 'hono/html';
import { type Html, ticks, tickText } from './page-parts.ts';

/** Values of several series, group next to group. */
export interface BarChart {
  readonly title: string;
  readonly unit: string;
  readonly groups: readonly string[];
  readonly series: readonly {
    readonly name: string;
    /** One for each group; null where there is none. */
    readonly values: readonly (number | null)[];
  }[];
}

const [width, height] = [1144, 300];
const margin = { left: 44, right: 8, top: 20, bottom: 28 };

/** A chart of grouped bars as a figure with inline SVG; its legend is text above it. */
export function barChart({ title, unit, groups, series }: BarChart): Html {
  const all = series.flatMap(({ values }) => values.filter((value) => value !== null));
  const ys = ticks(0, Math.max(...all, 1e-6), 6);
  const y = (value: number): number =>
    height - margin.bottom - (value / ys.at(-1)!) * (height - margin.bottom - margin.top);
  const room = (width - margin.left - margin.right) / groups.length;
  const bar = (room * 0.82) / series.length;
  const legend = series.map(
    ({ name }, index) => html`<span class="key"><i class="series-${index}"></i>${name}</span>`,
  );
  const bars = groups.flatMap((group, at) =>
    series.flatMap(({ name, values }, index) => {
      const value = values[at] ?? null;
      if (value === null) return [];
      const left = margin.left + at * room + room * 0.09 + index * bar;
      const word = `${group}, ${name}: ${value.toFixed(1)} ${unit}`;
      // Numbers of our own bars only, ending with the bar: the one to the right may be higher.
      const number =
        index === 0
          ? html`<text class="end small" x="${(left + bar - 1).toFixed(1)}" y="${(y(value) - 4).toFixed(1)}">${value.toFixed(1)}</text>`
          : '';
      return html`<rect class="series-${index}" x="${left.toFixed(1)}" y="${y(value).toFixed(1)}" width="${(bar - 1).toFixed(1)}" height="${(y(0) - y(value)).toFixed(1)}"><title>${word}</title></rect>${number}`;
    }),
  );
  return html`<figure class="wide"><figcaption>${title}</figcaption><p class="legend">${legend}</p><svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${title}">${ys.map(
    (tick) =>
      html`<line class="grid" x1="${margin.left}" x2="${width - margin.right}" y1="${y(tick)}" y2="${y(tick)}"/><text class="end" x="${margin.left - 8}" y="${y(tick) + 4}">${tickText(tick)}</text>`,
  )}${bars}${groups.map(
    (group, at) =>
      html`<text class="middle" x="${(margin.left + (at + 0.5) * room).toFixed(1)}" y="${height - 8}">${group}</text>`,
  )}</svg></figure>`;
}
