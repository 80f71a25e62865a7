import { padEnd, padStart, textWidth } from '../terminal/text-width.ts';

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

/** Writes a table; as text in parts below each other where its groups do not fit next to each other in `width` columns. */
export function formatTable(table: Table, form: TableForm, width: number = Number.POSITIVE_INFINITY): string {
  if (form === 'markdown') return markdown(table);
  return inParts(table, width).map(text).join('\n\n');
}

/** How wide a table is as text. */
export function tableWidth(table: Table): number {
  const width = groupWidthOf(table);
  return table.groups.reduce((sum, group) => sum + gap.length + width(group), nameWidthOf(table.blocks));
}

/** The groups in tables with the same names of rows, as many in each as fit, and at least one. */
function inParts(table: Table, width: number): Table[] {
  const parts: Table[] = [];
  for (let from = 0, column = 0; from < table.groups.length; ) {
    let to = from + 1;
    const wider = (end: number): Table => ({ ...table, groups: table.groups.slice(from, end) });
    while (to < table.groups.length && tableWidth(wider(to + 1)) <= width) to += 1;
    const end = column + wider(to).groups.reduce((sum, { columns }) => sum + columns, 0);
    const [first, last] = [column, end];
    parts.push({
      groups: wider(to).groups,
      head: table.head.slice(first, last),
      blocks: table.blocks.map((block) =>
        block.map(([name, ...cells]) => [name!, ...cells.slice(first, last)]),
      ),
    });
    [from, column] = [to, end];
  }
  return parts;
}

/** A figure in percent, unless a cell is wider. */
const cellWidthOf = ({ head, blocks }: Table): number =>
  Math.max(5, ...[head, ...blocks.flat().map(([, ...cells]) => cells)].flat().map(textWidth));

const gap = '  ';

/** A group is as wide as its title, if its figures are not. */
function groupWidthOf(table: Table): (group: Table['groups'][number]) => number {
  const cellWidth = cellWidthOf(table);
  return ({ title, columns }) => Math.max(textWidth(title), columns * (cellWidth + 1) - 1);
}

const nameWidthOf = (blocks: Table['blocks']): number =>
  Math.max(1, ...blocks.flat().map(([name]) => textWidth(name!)));

/** A fraction in percent, or a dash. */
export function percent(value: number | null | undefined): string {
  return value === null || value === undefined ? '–' : (100 * value).toFixed(1);
}

function markdown({ groups, head, blocks }: Table): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  const titles = groups.flatMap(({ title, columns }) => new Array<string>(columns).fill(title));
  const titled = head.map((cell, i) => `${titles[i] ?? ''} ${cell}${cell === 'n' ? '' : ' %'}`.trim());
  const [first = [], ...others] = blocks;
  const emphasised = others.flat().map(([name, ...cells]) => line([`*${name}*`, ...cells]));
  return [
    line(['', ...titled]),
    `|---|${'---:|'.repeat(head.length)}`,
    ...first.map(line),
    ...emphasised,
  ].join('\n');
}

function text(table: Table): string {
  const { groups, head, blocks } = table;
  const [nameWidth, cellWidth, groupWidth] = [nameWidthOf(blocks), cellWidthOf(table), groupWidthOf(table)];
  const line = (name: string, cells: readonly string[]): string => {
    let at = 0;
    const parts = groups.map((group) => {
      const part = cells.slice(at, at + group.columns).map((cell) => padStart(cell, cellWidth));
      at += group.columns;
      return padStart(part.join(' '), groupWidth(group));
    });
    return [padEnd(name, nameWidth), ...parts].join(gap).trimEnd();
  };
  const titles = groups.map((group) => padStart(group.title, groupWidth(group)));
  const top = [padEnd('%', nameWidth), ...titles].join(gap);
  const rule = '─'.repeat(textWidth(top));
  return [
    top,
    line('', head),
    ...blocks
      .filter((block) => block.length > 0)
      .flatMap((block) => [rule, ...block.map(([name, ...cells]) => line(name!, cells))]),
  ].join('\n');
}
