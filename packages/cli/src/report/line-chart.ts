import { html } from 'hono/html';
import { type Html, ticks, tickText } from './page-parts.ts';

/** A curve over the steps of a run. */
export interface LineChart {
  readonly title: string;
  readonly unit: string;
  readonly points: readonly (readonly [step: number, value: number])[];
  /** A step to mark, with the word for it. */
  readonly mark?: { readonly step: number; readonly word: string };
  /** Whether the axis must begin at 0. */
  readonly fromZero: boolean;
}

const [width, height] = [560, 240];
const margin = { left: 56, right: 16, top: 12, bottom: 32 };
/** More points than this are joined to means of as many parts: more than one a pixel shows nothing. */
const mostPoints = 480;

/** A line chart as a figure with inline SVG. */
export function lineChart(chart: LineChart): Html {
  const { title, unit, mark } = chart;
  const heading = html`<figcaption>${title}</figcaption>`;
  if (chart.points.length === 0)
    return html`<figure>${heading}<p class="none">nothing logged yet</p></figure>`;
  const points = thinned(chart.points);
  const values = points.map(([, value]) => value);
  const xs = ticks(0, Math.max(...points.map(([step]) => step)), 6);
  const ys = ticks(chart.fromZero ? 0 : Math.min(...values), Math.max(...values), 5);
  const x = scale(xs, margin.left, width - margin.right);
  const y = scale(ys, height - margin.bottom, margin.top);
  const path = points
    .map(([step, value], i) => `${i === 0 ? 'M' : 'L'}${x(step).toFixed(1)} ${y(value).toFixed(1)}`)
    .join('');
  const [lastStep, lastValue] = points.at(-1)!;
  const label = `${title}: ${tickText(Number(values[0]!.toPrecision(3)))} at first, ${tickText(Number(lastValue.toPrecision(3)))} ${unit} at step ${lastStep}`;
  return html`<figure>${heading}<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${label}">${ys.map(
    (tick) =>
      html`<line class="grid" x1="${margin.left}" x2="${width - margin.right}" y1="${y(tick)}" y2="${y(tick)}"/><text class="end" x="${margin.left - 8}" y="${y(tick) + 4}">${tickText(tick)}</text>`,
  )}${xs.map(
    (tick) => html`<text class="middle" x="${x(tick)}" y="${height - 12}">${tickText(tick)}</text>`,
  )}${mark === undefined ? '' : markAt(mark.word, x(mark.step))}<path class="line" d="${path}"/>${
    // One point alone draws no line.
    points.length < 40
      ? points.map(
          ([step, value]) =>
            html`<circle cx="${x(step).toFixed(1)}" cy="${y(value).toFixed(1)}" r="3"><title>step ${step}: ${value.toPrecision(4)} ${unit}</title></circle>`,
        )
      : ''
  }</svg></figure>`;
}

function markAt(word: string, x: number): Html {
  const [anchor, beside] = x > width / 2 ? ['end', x - 6] : ['start', x + 6];
  return html`<line class="mark" x1="${x}" x2="${x}" y1="${margin.top}" y2="${height - margin.bottom}"/><text class="${anchor}" x="${beside}" y="${height - margin.bottom - 8}">${word}</text>`;
}

function scale(of: readonly number[], from: number, to: number): (value: number) => number {
  const [low, high] = [of[0]!, of.at(-1)!];
  return (value) => from + ((value - low) / (high - low)) * (to - from);
}

/** Means of neighbours where there are too many points. */
function thinned(points: LineChart['points']): LineChart['points'] {
  const size = Math.ceil(points.length / mostPoints);
  if (size === 1) return points;
  const mean = (part: LineChart['points'], at: 0 | 1): number =>
    part.reduce((sum, point) => sum + point[at], 0) / part.length;
  return Array.from({ length: Math.ceil(points.length / size) }, (_, i) => {
    const part = points.slice(i * size, (i + 1) * size);
    return [mean(part, 0), mean(part, 1)] as const;
  });
}
