import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { cutAtTerms, namesOf, readGlossary } from '../../site/.vitepress/glossary-links.ts';

const file = 'docs/glossary.md';
const headings = [...readFileSync(file, 'utf8').matchAll(/^### (.*)$/gm)].map(([, heading]) => heading!);
const terms = readGlossary(file);

/** A text as the site shows it, linked words in brackets. */
const shown = (text: string, seen = new Set<(typeof terms)[number]>()): string =>
  cutAtTerms(text, terms, seen)
    .map((piece) => (typeof piece === 'string' ? piece : `[${piece.text}](${piece.term.href})`))
    .join('');

describe('links to the glossary', () => {
  it('are there for every heading, each with its meaning', () => {
    expect(terms).toHaveLength(headings.length);
    for (const { meaning, words } of terms) {
      expect(meaning).toMatch(/[.:]$/);
      expect(words.length).toBeGreaterThan(0);
    }
    expect(Object.keys(namesOf).filter((heading) => !headings.includes(heading))).toEqual([]);
  });

  it('stand at the first use of a word, in any number and case, and at no second one', () => {
    const seen = new Set<(typeof terms)[number]>();
    expect(shown('Bundles of a fuzzy set, and a bundle.', seen)).toBe(
      '[Bundles](glossary.md#bundle) of a [fuzzy set](glossary.md#fuzzy-set), and a bundle.',
    );
    expect(shown('The bundle again, with a preset', seen)).toBe(
      'The bundle again, with a [preset](glossary.md#preset)',
    );
  });

  it('are not set into other words', () => {
    for (const text of ['bundled', 'a factory', 'fact-checking', 'to run it', 'the server answers'])
      expect(shown(text)).toBe(text);
  });
});
