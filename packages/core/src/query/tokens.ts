import { FuzzError } from '../errors.ts';
import { bareCharacters, bareCharactersAtOnce } from './name-text.ts';
import { describePosition, pointAt } from './text-position.ts';

/** A word of the notation. */
export interface Token {
  readonly kind:
    | 'bare name'
    | 'quoted name'
    | 'IRI'
    | 'id'
    | 'variable'
    | '('
    | ')'
    | ','
    | '^-1'
    | '='
    | '!='
    | '<'
    | '<='
    | '>'
    | '>='
    | 'end';
  /** What a name says once unquoted, an IRI with its angle brackets, an id's digits, a variable's name, else the token itself. */
  readonly text: string;
  /** Where it begins in the text. */
  readonly start: number;
}

/** An error at a place of the text, with the line and a caret below the hint. */
export function errorAt(
  text: string,
  offset: number,
  message: string,
  hint: string,
  path?: string,
): FuzzError {
  const place = describePosition(text, offset);
  return new FuzzError('query', message, {
    path: path === undefined ? place : `${path}, ${place}`,
    hint: `${hint}\n${pointAt(text, offset)}`,
  });
}

/**
 * The token that begins at or after an offset, and the offset after it.
 *
 * @throws FuzzError `query`: a character that no token begins with, an open quote, an unknown escape.
 */
export function readToken(text: string, offset: number, path?: string): { token: Token; end: number } {
  let start = offset;
  while (start < text.length && isSpace(text, start)) start++;
  const first = text[start];
  const token = (kind: Token['kind'], content: string, end: number) => ({
    token: { kind, text: content, start },
    end,
  });
  if (first === undefined) return token('end', '', start);
  if (first === '(' || first === ')' || first === ',') return token(first, first, start + 1);
  if (first === '"') {
    const { name, end } = readQuoted(text, start, path);
    return token('quoted name', name, end);
  }
  if (first === '<') {
    const iri = /^<[^<>\s]+>/.exec(text.slice(start))?.[0];
    if (iri !== undefined) return token('IRI', iri, start + iri.length);
    if (text[start + 1] === '=') return token('<=', '<=', start + 2);
    if (/^<[\s\d"+-]/.test(text.slice(start, start + 2))) return token('<', '<', start + 1);
    throw errorAt(
      text,
      start,
      'IRI: expected one without spaces and > after it',
      'An IRI looks like <http://example.org/a>; put other names with such characters between double quotes.',
      path,
    );
  }
  if (first === '#') {
    const digits = /^\d+/.exec(text.slice(start + 1, start + 18))?.[0];
    if (digits !== undefined) return token('id', digits, start + 1 + digits.length);
    throw errorAt(text, start, 'id: expected digits after #', 'An id looks like #123.', path);
  }
  if (first === '?') {
    variableName.lastIndex = start + 1;
    const name = variableName.exec(text)?.[0] ?? '';
    if (name !== '') return token('variable', name, start + 1 + name.length);
  }
  if (first === '=') return token('=', '=', start + 1);
  if (text.startsWith('>=', start)) return token('>=', '>=', start + 2);
  if (first === '>') return token('>', '>', start + 1);
  if (text.startsWith('!=', start)) return token('!=', '!=', start + 2);
  if (text.startsWith('^-1', start)) return token('^-1', '^-1', start + 3);
  const end = endOfBareName(text, start);
  if (end > start) return token('bare name', text.slice(start, end), end);
  const character = String.fromCodePoint(text.codePointAt(start)!);
  throw errorAt(
    text,
    start,
    `query: expected a name, an operator, "(", ")" or ",", got ${JSON.stringify(character)}`,
    first === '^'
      ? 'The inverse of a relation is written ^-1.'
      : 'Put names with such characters between double quotes.',
    path,
  );
}

/** The letters of a variable's name. */
const variableName = /[\p{L}\p{M}\p{N}_]*/uy;

function isSpace(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  // Below 128, only these.
  return code < 128 ? code === 32 || (code >= 9 && code <= 13) : /\s/u.test(text[at]!);
}

/** In pieces: a pattern of code points remembers each that takes two code units, and four million are more than it can. */
function endOfBareName(text: string, start: number): number {
  for (let at = start; ; ) {
    bareCharacters.lastIndex = at;
    bareCharacters.test(text);
    const end = bareCharacters.lastIndex;
    if (end - at < bareCharactersAtOnce) return end;
    at = end;
  }
}

const meanings: Readonly<Record<string, string>> = { '"': '"', '\\': '\\', n: '\n', t: '\t' };

/** Letters between quotes that stand for themselves. */
const plainCharacters = /[^"\\]*/y;

function readQuoted(text: string, start: number, path: string | undefined): { name: string; end: number } {
  let name = '';
  let at = start + 1;
  while (at < text.length) {
    plainCharacters.lastIndex = at;
    plainCharacters.test(text);
    name += text.slice(at, plainCharacters.lastIndex);
    at = plainCharacters.lastIndex;
    const character = text[at];
    if (character === undefined) break;
    if (character === '"') return { name, end: at + 1 };
    const letter = text[at + 1] ?? '';
    const digits = /^[0-9a-fA-F]{4}$/.test(text.slice(at + 2, at + 6))
      ? text.slice(at + 2, at + 6)
      : undefined;
    if (letter === 'u' && digits !== undefined) {
      name += String.fromCharCode(Number.parseInt(digits, 16));
      at += 6;
      continue;
    }
    const meaning = meanings[letter];
    if (meaning === undefined) {
      throw errorAt(
        text,
        at,
        `escape: expected \\", \\\\, \\n, \\t or \\u and four hexadecimal digits, got ${JSON.stringify(text.slice(at, at + 2))}`,
        'Write a backslash as \\\\.',
        path,
      );
    }
    name += meaning;
    at += 2;
  }
  throw errorAt(
    text,
    start,
    'quoted name: expected a closing ", got the end of the query',
    'Add the ".',
    path,
  );
}
