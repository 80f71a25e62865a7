import { padEnd, padStart, shorten, textWidth } from './text-width.ts';

/** A column of a listing. */
export interface Column {
  readonly title?: string;
  /** Figures stand to the right. */
  readonly right?: boolean;
  /** Text that may be cut where the line is too long; the longest gives way first. */
  readonly cut?: boolean;
}

const gap = '  ';
/** A column is never cut to fewer columns of the terminal than this. */
const least = 8;

/** Rows as lines, columns below each other, in at most `width` columns of the terminal where cutting text makes that possible. */
export function formatColumns(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  width: number,
): string[] {
  const titles = columns.map(({ title = '' }) => title);
  const all = titles.some((title) => title !== '') ? [titles, ...rows] : rows;
  const widths = columns.map((_, i) =>
    Math.max(0, ...all.map((row) => textWidth(shorten(row[i] ?? '', 1e6)))),
  );
  const used = (): number => widths.reduce((sum, each) => sum + each, gap.length * (columns.length - 1));
  while (used() > width) {
    const cuttable = widths.map((each, i) => (columns[i]!.cut === true && each > least ? each : 0));
    const longest = cuttable.indexOf(Math.max(...cuttable));
    if (cuttable[longest] === 0) break;
    // Names can be long: as far as the next longest, or as far as is needed, at once.
    const rest = Math.max(least, ...cuttable.filter((_, i) => i !== longest));
    const needed = cuttable[longest]! - (used() - width);
    widths[longest] = Math.max(needed, Math.min(rest, cuttable[longest]! - 1));
  }
  return all.map((row) =>
    row
      .map((cell, i) => {
        const shown = columns[i]!.cut === true ? shorten(cell, widths[i]!) : shorten(cell, 1e6);
        return columns[i]!.right === true ? padStart(shown, widths[i]!) : padEnd(shown, widths[i]!);
      })
      .join(gap)
      .trimEnd(),
  );
}
