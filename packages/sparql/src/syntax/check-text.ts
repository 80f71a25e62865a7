import { describeValue, FuzzError } from '@fuzzqe/core';
import { errorAt, maxQueryDepth } from '@fuzzqe/core/query';

/** What a text may have at most; a parser's time and stack depend on these alone. */
export const textLimits: {
  readonly characters: number;
  readonly words: number;
  readonly depth: number;
  readonly nameLength: number;
  readonly parts: number;
  readonly levels: number;
} = {
  characters: 16_384,
  /** Names, IRIs, strings, brackets and signs, those of arithmetic too. */
  words: 1500,
  /** Brackets in brackets: those of the deepest query, and some that mean nothing. */
  depth: maxQueryDepth + 8,
  /** A name apart from IRIs and strings: the lexer takes the square of its length. */
  nameLength: 128,
  /** Objects and arrays of what the text reads as: a message with them holds its receiver for some milliseconds. */
  parts: 6000,
  /** Of these in one another: a chain of operators has one for each, and messages take stack for every level. */
  levels: 500,
};

const space = /[\s\p{Cc}]+/uy;
const comment = /#[^\n\r]*/y;
const iri = /<[^<>"{}|^\u0060\\\p{Cc} ]*>/uy;
const string =
  /"""(?:"{0,2}(?:[^"\\]|\\.))*"""|'''(?:'{0,2}(?:[^'\\]|\\.))*'''|"(?:[^"\\\n\r]|\\.)*"|'(?:[^'\\\n\r]|\\.)*'/sy;
// A backslash takes the next character along: `ex:a\(` is one name.
const name = /(?:\\.|[^\s\p{Cc}()[\]{}<>"'#,;=|/!&\\])+/suy;

/**
 * Refuses what is no text, and one that is too long.
 *
 * @throws FuzzError `query`.
 */
export function checkLength(text: string): void {
  if (typeof text !== 'string')
    throw new FuzzError('query', `SPARQL: expected a text, got ${describeValue(text)}`);
  const { characters } = textLimits;
  if (text.length <= characters) return;
  const message = `SPARQL: expected at most ${characters} characters, got ${text.length}`;
  throw new FuzzError('query', message, { hint: 'Ask for less, or in parts.' });
}

/** How many words after the first stand in letters without a space: signs of arithmetic and of paths, and what these join. A name with a prefix may have hyphens. */
function furtherWords(word: string): number {
  const between = word.split(word.includes(':') ? /[+*]/ : /[-+*]/);
  return 2 * (between.length - 1) - between.filter((part) => part === '').length;
}

/**
 * Refuses a text of too many words, or nested too deep, in time linear in its length.
 *
 * @throws FuzzError `query`, with the place.
 */
export function checkText(text: string): void {
  const { words, depth: deepest, nameLength } = textLimits;
  let at = 0;
  let depth = 0;
  let count = 0;
  const skip = (pattern: RegExp): number => {
    pattern.lastIndex = at;
    const length = pattern.exec(text)?.[0].length ?? 0;
    at += length;
    return length;
  };
  while (at < text.length) {
    if (skip(space) > 0 || skip(comment) > 0) continue;
    if (++count > words)
      throw errorAt(text, at, `SPARQL: expected at most ${words} words, got more`, 'Ask in parts.');
    if (skip(iri) > 0 || skip(string) > 0) continue;
    const start = at;
    const length = skip(name);
    if (length > nameLength) {
      const hint = 'Write the IRI in full between < and >.';
      throw errorAt(text, start, `name: expected at most ${nameLength} characters, got ${length}`, hint);
    }
    if (length > 0) {
      count += furtherWords(text.slice(start, at));
      continue;
    }
    const character = text[at]!;
    if ('([{'.includes(character) && ++depth > deepest) {
      throw errorAt(
        text,
        at,
        `SPARQL: expected at most ${deepest} brackets in one another, got more`,
        'Nest less.',
      );
    }
    if (')]}'.includes(character)) depth--;
    at++;
  }
}
