import type { MarkdownRenderer } from 'vitepress';
import { cutAtTerms, readGlossary, type Term } from './glossary-links.ts';

type State = Parameters<Parameters<MarkdownRenderer['core']['ruler']['push']>[1]>[0];
type Token = State['tokens'][number];

/** Pages where a link would lead nowhere new, or where each word is of a program. */
const left = /^(?:index|glossary|reference\/typescript\/.*)\.md$/;

/** Links the first use of each word of the glossary on a page; headings, code and links stay as they are. */
export function linkTerms(md: MarkdownRenderer, glossary: string): void {
  const terms = readGlossary(glossary);
  md.core.ruler.push('glossary-links', (state) => {
    const page: string = state.env.relativePath;
    if (left.test(page)) return;
    const up = '../'.repeat(page.split('/').length - 1);
    const seen = new Set<Term>();
    state.tokens.forEach(({ type, children }, at) => {
      const before = state.tokens[at - 1]?.type;
      if (type !== 'inline' || children === null || before === 'heading_open' || before === 'th_open') return;
      let depth = 0;
      state.tokens[at]!.children = children.flatMap((token) => {
        if (token.type === 'link_open') {
          depth += 1;
          for (const term of terms) if (token.attrGet('href')?.endsWith(term.href) === true) seen.add(term);
        }
        if (token.type === 'link_close') depth -= 1;
        return token.type === 'text' && depth === 0 ? linked(state, token, terms, seen, up) : [token];
      });
    });
  });
}

function linked(
  { Token }: State,
  token: Token,
  terms: readonly Term[],
  seen: Set<Term>,
  up: string,
): Token[] {
  const text = (content: string): Token => Object.assign(new Token('text', '', 0), { content });
  return cutAtTerms(token.content, terms, seen).flatMap((piece) => {
    if (typeof piece === 'string') return [text(piece)];
    const open = new Token('link_open', 'a', 1);
    open.attrs = [
      ['href', `${up}${piece.term.href}`],
      ['class', 'term'],
      ['title', piece.term.meaning],
    ];
    return [open, text(piece.text), new Token('link_close', 'a', -1)];
  });
}
