/** A text as Markdown that shows it as it is, in a paragraph or a cell: no tags, no templates, no columns. */
export function plain(text: string): string {
  return text
    .split(/(`[^`]*`)/)
    .map((part, i) =>
      i % 2 === 1
        ? part
        : part
            .replace(/https?:\/\/[^\s,|<)]+/g, '`$&`')
            .replace(/</g, '&lt;')
            .replace(/\{\{/g, '&#123;&#123;')
            .replace(/\*/g, '\\*'),
    )
    .join('')
    .replaceAll('|', '\\|')
    .replaceAll(/\s*\n\s*/g, ' ');
}

/** A table of Markdown. Cells are Markdown. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |\n`;
  return line(head) + line(head.map(() => '---')) + rows.map(line).join('');
}

/** A page that a command writes: the remark says so to people who would edit it. */
export function generatedPage(title: string, source: string, body: string): string {
  return `<!-- Written by \`npm run reference\` from ${source}. -->\n# ${title}\n\n${body.trimEnd()}\n`;
}

/** A value as code. */
export const code = (value: unknown): string =>
  `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``;
