// Links of Markdown files to files and headings of the repository.
import { dirname, join, normalize } from 'node:path/posix';

/** The text without code, its lines kept. */
function withoutCode(text) {
  const blank = (code) => code.replaceAll(/[^\n]/g, ' ');
  return text
    .replaceAll(/^( *)(```+|~~~+)[^\n]*\n[\s\S]*?^\1\2`*$/gm, blank)
    .replaceAll(/(`+)(?!`)[^\n]*?[^`]\1(?!`)/g, blank);
}

/** The anchors of the headings of a document, as GitHub makes them, and of its `id` attributes. */
export function anchorsOf(text) {
  const seen = new Map();
  const anchors = new Set();
  const lines = text.replaceAll(/^( *)(```+|~~~+)[^\n]*\n[\s\S]*?^\1\2`*$/gm, '');
  for (const [, heading] of lines.matchAll(/^#{1,6} +(.+?)(?: +#+)?$/gm)) {
    const slug = heading
      .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
      .replaceAll(/<[^>]*>/g, '')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\p{M} _-]/gu, '')
      .replaceAll(' ', '-');
    const count = seen.get(slug) ?? 0;
    seen.set(slug, count + 1);
    anchors.add(count === 0 ? slug : `${slug}-${count}`);
  }
  for (const [, id] of text.matchAll(/<[^>]* (?:id|name)="([^"]+)"/g)) anchors.add(id);
  return anchors;
}

/** The links of a document to files: `{ line, target }`. */
export function linksOf(text) {
  const prose = withoutCode(text);
  const pattern =
    /\]\(<?([^)\s>]+)>?(?: "[^"]*")?\)|^\[[^\]]+\]: +<?([^\s>]+)|<(?:a|img)[^>]* (?:href|src)="([^"]+)"/gm;
  return [...prose.matchAll(pattern)]
    .map((match) => ({
      line: prose.slice(0, match.index).split('\n').length,
      target: match[1] ?? match[2] ?? match[3],
    }))
    .filter(({ target }) => !/^[a-z][a-z0-9+.-]*:|^\/\//i.test(target));
}

/**
 * The links of a document that lead nowhere: `{ line, target, fault }`. `isThere` tells whether the repository has a file or
 * folder, `read` gives the text of a Markdown file.
 */
export function brokenLinks(path, text, { isThere, read }) {
  return linksOf(text).flatMap(({ line, target }) => {
    const [file, anchor] = target.split('#', 2);
    const to = file === '' ? path : normalize(join(dirname(path), decodeURIComponent(file)));
    if (file !== '' && (to.startsWith('..') || !isThere(to.replace(/\/$/, ''))))
      return [{ line, target, fault: `no file ${to}` }];
    if (anchor === undefined || anchor === '' || !to.endsWith('.md')) return [];
    const known = anchorsOf(file === '' ? text : read(to));
    return known.has(decodeURIComponent(anchor))
      ? []
      : [{ line, target, fault: `no heading #${anchor} in ${to}` }];
  });
}
