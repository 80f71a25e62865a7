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
