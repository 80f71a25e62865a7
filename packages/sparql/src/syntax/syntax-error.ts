import { didYouMean, type FuzzError } from '@fuzzqe/core';
import { errorAt } from '@fuzzqe/core/query';

/** What is said of a text that the parser does not take. */
export const notRead = 'The text is no query of SPARQL 1.1 that is read here: docs/sparql.md says what is.';

/** Words of the queries that are read here, which a misspelt one may be. */
const keywords = [
  ...['SELECT', 'ASK', 'WHERE', 'PREFIX', 'BASE', 'DISTINCT', 'REDUCED'],
  ...['FILTER', 'EXISTS', 'NOT EXISTS', 'UNION', 'MINUS', 'VALUES', 'IN', 'NOT IN'],
  ...['ORDER BY', 'ASC', 'DESC', 'LIMIT', 'OFFSET', 'true', 'false'],
];

const aName = 'Names have a prefix, as entity:France, or stand between < and >; variables begin with ?.';

/** By what a string, an IRI or a variable begins with. */
const hints: Readonly<Record<string, string>> = {
  '"': 'Close the string by the same quotes, in the same line.',
  "'": 'Close the string by the same quotes, in the same line.',
  '<': 'Close the IRI with >; it has no spaces.',
  $: 'A variable has a name, as $x.',
};

const examples = {
  query: 'A query is such as SELECT ?x { entity:France relation:borders ?x }.',
  update: 'An update is such as INSERT DATA { entity:France relation:borders entity:Monaco }.',
} as const;

/** How an update is sent, which is no query. */
export const asUpdate =
  'Send an update by POST: update= as a form, or the text as application/sparql-update.';

const letters = /[\p{L}\p{N}_-]/u;

/** The text at a place has a word that the grammar does not know, which may have begun as one that it does: `SELECTED`. */
export function unknownWord(text: string, place: number): FuzzError {
  let at = place;
  while (at > 0 && letters.test(text[at]!) && letters.test(text[at - 1]!)) at--;
  // Half of a code point is a letter of its own.
  const sign = String.fromCodePoint(text.codePointAt(at) ?? 0);
  const word = /^[\p{L}\p{N}_-]+/u.exec(text.slice(at, at + 200))?.[0] ?? sign;
  const isName = letters.test(word);
  const isInIri = isName && text[at - 1] === '<';
  const hint =
    isName && !isInIri ? didYouMean(word, keywords, aName) : (hints[isInIri ? '<' : sign] ?? notRead);
  return errorAt(text, at, `SPARQL: expected a word of SPARQL 1.1, got ${quoted(word)}`, hint);
}

const updates = /^(?:insert|delete|load|clear|drop|create|add|move|copy|with)\b/i;

/** A token that cannot stand where it does: its place and its letters. */
export interface BadToken {
  readonly startOffset: number;
  readonly image: string;
}

/** A token of the parser that cannot stand where it does, by the parser's own message. */
export function unexpectedToken(
  text: string,
  token: BadToken,
  message: string,
  unit: 'query' | 'update',
): FuzzError {
  const end = token.image === '' || Number.isNaN(token.startOffset);
  const at = end ? text.length : token.startOffset;
  if (unit === 'query' && updates.test(token.image))
    return errorAt(text, at, 'UPDATE: expected a query, got an update', asUpdate);
  const expected = expectedBy(message);
  const got = end ? 'the end of the text' : quoted(token.image);
  const isFirst = expected.includes(unit === 'query' ? '"SELECT"' : '"LOAD"');
  const hint = isFirst ? examples[unit] : end ? 'The text ends too early: close what is open.' : notRead;
  return errorAt(text, at, `SPARQL: expected ${expected}, got ${got}`, hint);
}

function quoted(found: string): string {
  return JSON.stringify(found.slice(0, 80));
}

/** The kinds of tokens by what people call them; of two forms of one kind, one. */
const kinds: readonly (readonly [RegExp, string])[] = [
  [/^Var\d$/, 'a variable'],
  [/^(?:IriRef|PName(?:Ln|Ns))$/, 'a name'],
  [/^StringLiteral/, 'a string'],
  [/^(?:Integer|Decimal|Double)(?:Positive|Negative)?$/, 'a number'],
  [/^(?:BlankNodeLabel|Anon)$/, 'a blank node'],
  [/^Nil$/, '"()"'],
  [/^type declaration 'a'$/, '"a"'],
];

/** Forms of a query that the grammar has, and that are refused by their meaning. */
const unanswered = ['CONSTRUCT', 'DESCRIBE'];

/** More than these are not told one by one. */
const mostExpected = 9;

/** What the parser's message says that it expected: `"SELECT" or "ASK"`. */
function expectedBy(message: string): string {
  if (/^Redundant input/.test(message)) return 'the end of the text';
  const wanted = /--> (.{1,40}?) <-- but found/.exec(message)?.[1];
  // The first of each sequence that could stand there.
  const offered = message.slice(0, message.indexOf('but found'));
  const first = [...offered.matchAll(/(?:\d\. |<|,)\[(\[|[^\]]+)/g)];
  const tokens = wanted === undefined ? first.map(([, token]) => token!) : [wanted]; // of the group
  const told = [...new Set(tokens.filter((token) => !unanswered.includes(token)).map(toldAs))];
  const last = told.pop();
  if (last === undefined) return 'something else here';
  if (told.length >= mostExpected) return 'a name, a function or another part of an expression';
  return told.length === 0 ? last : `${told.join(', ')} or ${last}`;
}

function toldAs(token: string): string {
  return kinds.find(([form]) => form.test(token))?.[1] ?? JSON.stringify(token);
}
