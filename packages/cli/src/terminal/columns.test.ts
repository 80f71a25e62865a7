import { expect, it } from 'vitest';
import { formatColumns } from './columns.ts';
import { textWidth } from './text-width.ts';

const columns = [{ title: 'facts', right: true }, { title: 'name', cut: true }, { cut: true }];

it('sets columns below each other', () => {
  expect(
    formatColumns(
      columns,
      [
        ['12', '日本', 'x'],
        ['3', 'France', ''],
      ],
      80,
    ),
  ).toEqual(['facts  name', '   12  日本    x', '    3  France']);
});

it('cuts the longest text where a line would not shorten', () => {
  const rows = [['1', 'a'.repeat(30), 'b'.repeat(90)]];
  const [, line] = formatColumns(columns, rows, 60);
  expect(textWidth(line!)).toBe(60);
  expect(line).toContain('a'.repeat(24));
  for (const width of [80, 40, 30]) expect(textWidth(formatColumns(columns, rows, width)[1]!)).toBe(width);
  // Figures are never cut, and text not to nothing.
  expect(formatColumns(columns, rows, 5)[1]).toBe(`    1  ${'a'.repeat(7)}…  ${'b'.repeat(7)}…`);
});

it('counts control characters as they are written out', () => {
  const lines = formatColumns(
    [{ cut: true }, {}],
    [
      ['a\u001b[31mb', 'x'],
      ['long enough name', 'y'],
    ],
    80,
  );
  expect(lines.map((line) => line.indexOf(line.at(-1)!))).toEqual([18, 18]);
  expect(lines[0]).toContain('a\\u001b[31mb');
});
