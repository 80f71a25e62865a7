import type { Vocabulary } from '@fuzzqe/core';
import {
  formatQuery,
  isPatternText,
  type Pattern,
  type Query,
  readPattern,
  readQuery,
  readQueryString,
} from '@fuzzqe/core/query';
import { escapeControlCharacters } from '@fuzzqe/core/text';

/** What an argument that is a query may be. */
export const queryHelp =
  'The query as text, or as JSON: {"entity": name}, {"project": relation, "from": query}, {"and": [query, …]}, {"or": [query, …]}, {"not": query}. The resource fuzzqe://notation teaches both.';

/** The query of an argument: text, JSON, or JSON that was written as text. */
export function readGiven(given: unknown, vocabulary: Vocabulary, path: string): Query {
  return typeof given === 'string'
    ? readQueryString(given, vocabulary, path)
    : readQuery(given, vocabulary, path);
}

/** The query or the pattern of an argument: text, JSON, or JSON that was written as text. */
export function readAsked(given: unknown, vocabulary: Vocabulary, path: string): Query | Pattern {
  const pattern = patternGiven(given);
  return pattern === undefined ? readGiven(given, vocabulary, path) : readPattern(pattern, vocabulary, path);
}

/** The pattern of an argument as `readPattern` takes it; undefined for a query. */
function patternGiven(given: unknown): unknown {
  const value = typeof given === 'string' && given.trimStart().startsWith('{') ? parsed(given) : given;
  if (typeof value === 'string') return isPatternText(value) ? value : undefined;
  const isPattern = typeof value === 'object' && value !== null && ('where' in value || 'select' in value);
  return isPattern ? value : undefined;
}

/** JSON; the text itself where it is no JSON, which its reader refuses. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** A query as a text shows it. */
export function shownQuery(query: Query, vocabulary: Vocabulary): string {
  return escapeControlCharacters(formatQuery(query, vocabulary));
}

/** Three digits that count. */
export function shortDegree(value: number): string {
  return `${Number(value.toPrecision(3))}`;
}
