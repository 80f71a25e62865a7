import { escapeControlCharacters } from '@fuzzqe/core/text';
import stringWidth from 'string-width';

/** How many columns a text takes on a terminal: two for East Asian characters and emoji, none for what combines. */
export function textWidth(text: string): number {
  return stringWidth(text);
}

/** The text with spaces after it up to a width in columns. */
export function padEnd(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - textWidth(text)));
}

/** The text with spaces before it up to a width in columns. */
export function padStart(text: string, width: number): string {
  return ' '.repeat(Math.max(0, width - textWidth(text))) + text;
}

/**
 * The text on one line, its control characters written out, in at most so many columns, which must be 1 or more; what is
 * cut off gives way to `…`.
 */
export function shorten(text: string, width: number): string {
  const line = escapeControlCharacters(text.replaceAll(/[\r\n\t]+/g, ' '));
  if (textWidth(line) <= width) return line;
  let cut = '';
  for (const { segment } of new Intl.Segmenter().segment(line)) {
    if (textWidth(cut + segment) > width - 1) break;
    cut += segment;
  }
  return `${cut}…`;
}
