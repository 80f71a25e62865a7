/** How a table is written: for the terminal, or for a document. */
export type TableForm = 'text' | 'markdown';

/** A table of figures: names to the left, figures to the right. */
export interface Table {
  /** Cells above the head, each over as many columns as it says; the terminal shows them, Markdown joins them to the head. */
  readonly groups: readonly { readonly title: string; readonly columns: number }[];
  /** One cell for each column of figures. */
  readonly head: readonly string[];
  /** Blocks of rows; the first cell is the row's name. */
  readonly blocks: readonly (readonly (readonly string[])[])[];
}

/** Writes a table. */
export function formatTable(table: Table, form: TableForm): string {
  return form === 'markdown' ? markdown(table) : text(table);
}

/** A fraction in percent, or a dash. */
export function percent(value: number | null | undefined): string {
  return value === null || value === undefined ? '–' : (100 * value).toFixed(1);
}

function markdown({ groups, head, blocks }: Table): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  const titles = groups.flatMap(({ title, columns }) => new Array<string>(columns).fill(title));
  const titled = head.map((cell, i) => `${titles[i] ?? ''} ${cell} %`.trim());
  const [first = [], ...others] = blocks;
  const emphasised = others.flat().map(([name, ...cells]) => line([`*${name}*`, ...cells]));
  return [
    line(['', ...titled]),
    `|---|${'---:|'.repeat(head.length)}`,
    ...first.map(line),
    ...emphasised,
  ].join('\n');
}

function text({ groups, head, blocks }: Table): string {
  const [width, gap] = [5, '  '];
  const rows = blocks.flat();
  const nameWidth = Math.max(16, ...rows.map(([name]) => name!.length)) + 2;
  // A group is as wide as its title, if its figures are not.
  const widths = groups.map(({ title, columns }) => Math.max(title.length, columns * (width + 1) - 1));
  const line = (name: string, cells: readonly string[]): string => {
    let at = 0;
    const parts = groups.map(({ columns }, i) => {
      const part = cells.slice(at, at + columns).map((cell) => cell.padStart(width));
      at += columns;
      return part.join(' ').padStart(widths[i]!);
    });
    return [name.padEnd(nameWidth), ...parts].join(gap).trimEnd();
  };
  const top = ['%'.padEnd(nameWidth), ...groups.map(({ title }, i) => title.padStart(widths[i]!))].join(gap);
  const rule = '─'.repeat(top.length);
  return [
    top,
    line('', head),
    ...blocks
      .filter((block) => block.length > 0)
      .flatMap((block) => [rule, ...block.map(([name, ...cells]) => line(name!, cells))]),
  ].join('\n');
}
