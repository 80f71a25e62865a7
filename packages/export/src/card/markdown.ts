/** Text from outside on one line, so that it cannot end a heading, a table row or a list item. */
export const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

/** Text from outside as it is to be read, with nothing in it that Markdown or HTML would act on. */
export const plain = (text: string): string => oneLine(text).replaceAll(/[\\`*_[\]<>|#&]/g, '\\$&');

/** Text as code, whatever backticks it holds. */
export function code(text: string): string {
  const line = oneLine(text).replaceAll('|', '\\|');
  const longest = Math.max(0, ...(line.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  return longest === 0 ? `${fence}${line}${fence}` : `${fence} ${line} ${fence}`;
}

/** A table; the first row is its head, and every column but the first stands to the right. */
export function table(rows: readonly (readonly string[])[]): string {
  const [head = [], ...body] = rows;
  const rule = head.map((_, i) => (i === 0 ? ':--' : '--:'));
  return [head, rule, ...body].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
