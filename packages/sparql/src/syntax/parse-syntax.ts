import { FuzzError, messageOf } from '@fuzzqe/core';
import { errorAt } from '@fuzzqe/core/query';
import { queryUnitParserBuilder } from '@traqula/parser-sparql-1-1';
import {
  AstFactory,
  completeParseContext,
  lex,
  type Query,
  sparqlCodepointEscape,
} from '@traqula/rules-sparql-1-1';
import { checkLength, checkText } from './check-text.ts';

/** A query by the grammar of SPARQL 1.1. */
export interface ParsedText {
  readonly query: Query;
  /** The text that places of the query refer to: without escapes of code points. */
  readonly text: string;
}

type Parse = (text: string) => Query;
let parser: Parse | undefined;

/** Builds the parser, which takes a fifth of a second; the first query does where nobody has. */
export function prepareParser(): Parse {
  parser ??= buildParser();
  return parser;
}

/**
 * Reads a text by the grammar of SPARQL 1.1, within `textLimits`; what names and variables mean is not looked at.
 *
 * @throws FuzzError `query`, with line and column.
 */
export function parseSyntax(given: string): ParsedText {
  // Before escapes are replaced, which only makes a text shorter.
  checkLength(given);
  const text = withoutEscapes(given);
  checkText(text);
  try {
    return { query: prepareParser()(text), text };
  } catch (error) {
    if (error instanceof FuzzError) throw error;
    throw asFuzzError(error, text);
  }
}

function buildParser(): Parse {
  const astFactory = new AstFactory({ tracksSourceLocation: true });
  let text = '';
  const { queryUnit } = queryUnitParserBuilder.build({
    tokenVocabulary: lex.sparql11LexerBuilder.tokenVocabulary,
    // They check the grammar, which was checked where it is published.
    parserConfig: { skipValidations: true },
    errorHandler: (errors) => {
      const { token, message } = errors[0]!;
      throw unexpected(text, token, message);
    },
  });
  return (given) => {
    text = given;
    // Prefixes and variables are checked by their meaning, with a place in the error.
    return queryUnit(given, completeParseContext({ astFactory, skipValidation: true }));
  };
}

const updates = /^(?:insert|delete|load|clear|drop|create|add|move|copy|with)\b/i;

function unexpected(text: string, token: { startOffset: number; image: string }, message: string): FuzzError {
  const end = token.image === '' || Number.isNaN(token.startOffset);
  const at = end ? text.length : token.startOffset;
  if (updates.test(token.image)) {
    return errorAt(
      text,
      at,
      'UPDATE: expected a query, got an update',
      'The graph of a bundle is read only.',
    );
  }
  const wanted = /--> (.{1,40}?) <-- but found/.exec(message)?.[1];
  const expected = wanted === undefined ? 'something else here' : JSON.stringify(wanted);
  const got = end ? 'the end of the text' : JSON.stringify(token.image.slice(0, 80));
  return errorAt(text, at, `SPARQL: expected ${expected}, got ${got}`, 'The text is no query of SPARQL 1.1.');
}

/** What the lexer and the parser throw themselves is told in their words. */
function asFuzzError(error: unknown, text: string): FuzzError {
  // The limits keep the stack well away from this; whoever calls may have used most of it.
  if (error instanceof RangeError)
    return new FuzzError('query', 'SPARQL: nested too deep', { hint: 'Nest less.' });
  const message = messageOf(error);
  const offset = /^unexpected character: .* at offset: (\d+)/s.exec(message)?.[1];
  if (offset !== undefined) {
    const at = Number(offset);
    const got = JSON.stringify(String.fromCodePoint(text.codePointAt(at) ?? 0));
    return errorAt(text, at, `SPARQL: expected a word of SPARQL 1.1, got ${got}`, 'Close strings and IRIs.');
  }
  return new FuzzError('query', `SPARQL: ${message}`, { hint: 'The text is no query of SPARQL 1.1.' });
}

function withoutEscapes(text: string): string {
  try {
    return sparqlCodepointEscape(text);
  } catch (cause) {
    const hint = 'Code points are written \\u and four or \\U and eight hexadecimal digits, up to 10FFFF.';
    throw new FuzzError('query', 'SPARQL: expected code points, got half of one or a number too high', {
      hint,
      cause,
    });
  }
}

/** Where a part of the syntax begins in the text. */
export function placeOf({ loc }: Pick<Query, 'loc'>): number {
  return 'start' in loc ? loc.start : 0;
}
