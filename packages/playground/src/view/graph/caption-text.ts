import { inverseMark } from '../../question/inverse-mark.ts';

/** How wide a text is, in pixels. */
export type MeasureText = (text: string, font: string) => number;

/** How many widths are kept; those of one graph are far fewer. */
const mostWidths = 5000;

/** Measures by the browser's own canvas. */
export function createTextMeasure(): MeasureText {
  const context = document.createElement('canvas').getContext('2d');
  const widths = new Map<string, number>();
  return (text, font) => {
    const key = `${font} ${text}`;
    let width = widths.get(key);
    if (width === undefined) {
      if (context !== null) context.font = font;
      width = context?.measureText(text).width ?? text.length * 7;
      if (widths.size >= mostWidths) widths.clear();
      widths.set(key, width);
    }
    return width;
  };
}

/** A text cut to a width, with an ellipsis where it was. */
export function fitText(text: string, width: number, measure: (text: string) => number): string {
  if (measure(text) <= width) return text;
  let [low, high] = [0, text.length];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (measure(cut(text, middle)) <= width) low = middle;
    else high = middle - 1;
  }
  return cut(text, low);
}

/** Never between the halves of a character. */
function cut(text: string, length: number): string {
  return `${text
    .slice(0, length)
    .replace(/[\uD800-\uDBFF]$/, '')
    .trimEnd()}…`;
}

/** The label of a relation cut to a width, but for the mark of an inverse: without it the label would say the contrary. */
export function fitRelation(label: string, width: number, measure: (text: string) => number): string {
  if (measure(label) <= width || !label.endsWith(inverseMark)) return fitText(label, width, measure);
  const mark = '\u200e (rev.)';
  const name = label.slice(0, -inverseMark.length);
  return fitText(name, width, (text) => measure(text + mark)) + mark;
}
