import { readFileSync } from 'node:fs';

/** A word of the glossary: where it is explained, and its first sentence. */
export interface Term {
  readonly href: string;
  readonly meaning: string;
  readonly words: readonly string[];
}

/** What a heading of the glossary is called in sentences, where that is not the heading, or where the heading alone often means something else. */
export const namesOf: Readonly<Record<string, readonly string[]>> = {
  'Relation and inverse': ['inverse'],
  'Query structure': ['query structure', 'structure'],
  'Easy and hard answers': ['easy answer', 'hard answer'],
  'Drawn queries, own queries': ['drawn queries', 'own queries'],
  'Precision profile': ['precision profile', 'profile'],
  'Blocks and bases': ['by blocks', 'by bases', 'relations as blocks'],
  'Masked and counted answers': ['masked answer', 'counted answer'],
  Answer: ['an answer', 'the answers', 'its answers', 'the same answers', 'predicted answer'],
  Link: ['of links', 'each link', 'links and', 'and link'],
  State: ['four states', 'and states', 'a state', 'the state of an answer'],
  Rule: [
    'path rule',
    'mined rule',
    'best rule',
    'which rules',
    'the rules find',
    'rules, schema',
    'rules alone',
  ],
  Run: ['the run', 'a run'],
  Plan: ['the plan', 'a plan'],
};

/** The words of docs/glossary.md. */
export function readGlossary(file: string): readonly Term[] {
  return readFileSync(file, 'utf8')
    .split(/^### /m)
    .slice(1)
    .map((section) => {
      const [heading = '', ...rest] = section.split('\n');
      const paragraph = rest.join('\n').trim().split('\n\n')[0] ?? '';
      const text = paragraph
        .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
        .replaceAll(/[*`]/g, '')
        .replaceAll(/\s+/g, ' ');
      const anchor = heading
        .toLowerCase()
        .replaceAll(/[^a-z0-9 ]/g, '')
        .replaceAll(' ', '-');
      return {
        href: `glossary.md#${anchor}`,
        meaning: /^.*?[.](?= |$)/.exec(text)?.[0] ?? text,
        words: namesOf[heading] ?? [heading.toLowerCase()],
      };
    });
}

/** A piece of a sentence: text, or a word of the glossary. */
export type Piece = string | { readonly text: string; readonly term: Term };

/** Cuts text at the first use of each term that `seen` does not have, and adds it there. Plurals count; the longer of two names wins. */
export function cutAtTerms(text: string, terms: readonly Term[], seen: Set<Term>): Piece[] {
  const open = terms
    .filter((term) => !seen.has(term))
    .flatMap((term) => term.words.map((word) => ({ word, term })))
    .sort((one, other) => other.word.length - one.word.length);
  if (open.length === 0) return [text];
  const pattern = new RegExp(`(?<![\\w-])(${open.map(({ word }) => word).join('|')})s?(?![\\w-])`, 'gi');
  const pieces: Piece[] = [];
  let from = 0;
  for (const match of text.matchAll(pattern)) {
    const found = open.find(({ word }) => word === match[1]!.toLowerCase());
    if (found === undefined || seen.has(found.term)) continue;
    seen.add(found.term);
    pieces.push(text.slice(from, match.index), { text: match[0], term: found.term });
    from = match.index + match[0].length;
  }
  pieces.push(text.slice(from));
  return pieces.filter((piece) => piece !== '');
}
