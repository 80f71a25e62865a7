// Sentences of prose in Markdown, without code, tables, headings, quotations and lists of figures.

/** Words of a text: letters and digits; what is in backquotes is one word. */
export function wordCount(text) {
  return text.replaceAll(/`[^`]*`/g, 'X').match(/[\p{L}\p{N}][\p{L}\p{N}'’²%-]*/gu)?.length ?? 0;
}

/** The text with everything that is not prose blanked, line by line, so that numbers of lines stay. */
function proseLines(text) {
  let fence;
  let inComment = false;
  const lines = text.split('\n');
  const frontMatterEnd = lines[0] === '---' ? lines.indexOf('---', 1) : -1;
  return lines.map((line, i) => {
    if (i <= frontMatterEnd) return '';
    const mark = /^\s*(```+|~~~+)/.exec(line)?.[1];
    if (fence !== undefined) {
      if (mark?.startsWith(fence)) fence = undefined;
      return '';
    }
    if (mark !== undefined) {
      fence = mark;
      return '';
    }
    if (inComment || line.trimStart().startsWith('<!--')) {
      inComment = !line.includes('-->');
      return '';
    }
    return /^\s*(?:\||#|>|<|!\[|\[[^\]]+\]: )|^ {4}\S/.test(line) && !/^ {4,}(?:[-*]|\d+\.) /.test(line)
      ? ''
      : line;
  });
}

/** Each sentence of a document with its first line, counted from 1. */
export function sentencesOf(text) {
  const found = [];
  let block = [];
  let start = 0;
  const flush = () => {
    const flat = block
      .join(' ')
      .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
      .trim();
    for (const sentence of flat.split(/(?<=[.!?:;][)*_”"]*)\s+(?=[\p{Lu}\p{N}*`(“"[])/u))
      if (sentence !== '') found.push({ line: start + 1, sentence, words: wordCount(sentence) });
    block = [];
  };
  for (const [i, line] of proseLines(text).entries()) {
    const isItem = /^\s*(?:[-*]|\d+\.)\s/.test(line);
    if (line.trim() === '' || isItem) flush();
    if (line.trim() === '') continue;
    if (block.length === 0) start = i;
    block.push(line.replace(/^\s*(?:[-*]|\d+\.)\s+/, '').trim());
  }
  flush();
  return found;
}
