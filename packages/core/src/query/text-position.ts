/** How much of a long line is shown on either side of the place. */
const context = 40;

/** A place in a text as people count: `line 1, column 14`. Columns count characters, not code units. */
export function describePosition(text: string, offset: number): string {
  const lineStart = text.lastIndexOf('\n', offset - 1) + 1;
  const line = text.slice(0, lineStart).split('\n').length;
  const column = [...text.slice(lineStart, offset)].length + 1;
  return `line ${line}, column ${column}`;
}

/** The line around a place, and below it a caret under the place; both indented by two spaces. */
export function pointAt(text: string, offset: number): string {
  const lineStart = text.lastIndexOf('\n', offset - 1) + 1;
  const lineEnd = text.indexOf('\n', offset);
  // Whatever is not exactly one column wide would move the caret.
  const plain = (part: string): string[] =>
    [...part].map((character) => (/[\p{C}\p{Z}]/u.test(character) ? ' ' : character));
  // Enough for more characters than are shown, whose number is not that of code units: lines may be long.
  const enough = 2 * context + 2;
  const before = plain(text.slice(Math.max(lineStart, offset - enough), offset));
  const after = plain(text.slice(offset, Math.min(lineEnd < 0 ? text.length : lineEnd, offset + enough)));
  const left = before.length > context ? ['…', ...before.slice(-context)] : before;
  const right = after.length > context ? [...after.slice(0, context), '…'] : after;
  return `  ${left.join('')}${right.join('')}\n  ${' '.repeat(left.length)}^`;
}
