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
    if (measure(`${text.slice(0, middle).trimEnd()}…`) <= width) low = middle;
    else high = middle - 1;
  }
  return `${text.slice(0, low).trimEnd()}…`;
}
