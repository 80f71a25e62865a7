import { FuzzError, messageOf } from '@fuzzqe/core';
import { queryUnitParserBuilder, updateParserBuilder } from '@traqula/parser-sparql-1-1';
import {
  AstFactory,
  completeParseContext,
  lex,
  sparqlCodepointEscape,
  type TermIri,
} from '@traqula/rules-sparql-1-1';
import { checkLength, checkText, textLimits } from './check-text.ts';
import type { ParsedText, TextUnits } from './parsed-text.ts';
import { type BadToken, notRead, unexpectedToken, unknownWord } from './syntax-error.ts';

type Parsers = { readonly [Unit in keyof TextUnits]: (text: string) => TextUnits[Unit] };
const parsers: { -readonly [Unit in keyof Parsers]?: Parsers[Unit] } = {};

/**
 * Reads a text by the grammar of SPARQL 1.1, within `textLimits`; what names and variables mean is not looked at. The first text of a
 * unit takes a fifth of a second, in which its parser is built.
 *
 * @param unit whether the text is a query or an update.
 * @throws FuzzError `query`, with line and column.
 */
export function parseSyntax<Unit extends keyof TextUnits = 'query'>(
  given: string,
  // The default of the type is that of the value.
  unit: Unit = 'query' as Unit,
): ParsedText<Unit> {
  // Before escapes are replaced, which only makes a text shorter.
  checkLength(given);
  const text = withoutEscapes(given);
  checkText(text);
  try {
    const known: Parsers[Unit] | undefined = parsers[unit];
    const parse = known ?? builders[unit]();
    parsers[unit] = parse;
    const query = parse(text);
    takeParts(query);
    return { query, text };
  } catch (error) {
    if (error instanceof FuzzError) throw error;
    throw asFuzzError(error, text);
  }
}

const builders: { readonly [Unit in keyof Parsers]: () => Parsers[Unit] } = {
  query() {
    const { options, textOf, parse } = parts('query');
    const { queryUnit } = queryUnitParserBuilder.build(options);
    return (given) => queryUnit(textOf(given), parse());
  },
  update() {
    const { options, textOf, parse } = parts('update');
    const { updateUnit } = updateParserBuilder.build(options);
    return (given) => updateUnit(textOf(given), parse());
  },
};

/** What a parser is built with, and what each of its texts is read with. */
function parts(unit: keyof TextUnits) {
  let text = '';
  const astFactory = wholeNames(new AstFactory({ tracksSourceLocation: true }), () => text);
  return {
    options: {
      tokenVocabulary: lex.sparql11LexerBuilder.tokenVocabulary,
      // They check the grammar, which was checked where it is published.
      parserConfig: { skipValidations: true },
      errorHandler(errors: readonly { readonly token: BadToken; readonly message: string }[]): never {
        const { token, message } = errors[0]!;
        throw unexpectedToken(text, token, message, unit);
      },
    },
    textOf: (given: string) => (text = given),
    // Prefixes and variables are checked by their meaning, with a place in the error.
    parse: () => completeParseContext({ astFactory, skipValidation: true }),
  };
}

const prefixedName = new RegExp(String(lex.terminals.pNameLn.PATTERN).replace(/^\/|\/[a-z]*$/g, ''), 'y');

/**
 * A factory of terms that has prefixed names whole, where the parser cuts what follows a second colon: here, since a subject that is repeated
 * by `;` or `,` is copied without its place.
 */
function wholeNames(factory: AstFactory, text: () => string): AstFactory {
  const named = factory.termNamed.bind(factory) as (
    loc: TermIri['loc'],
    value: string,
    prefix?: string,
  ) => TermIri;
  const termNamed: typeof named = (loc, value, prefix) => {
    if (prefix === undefined || !('start' in loc)) return named(loc, value, prefix);
    // The lexer says where a name begins alone.
    prefixedName.lastIndex = loc.start;
    const rest = prefixedName.exec(text())?.[0].slice(prefix.length + 1) ?? '';
    return named(loc, rest.replace(/\\(.)/g, '$1'), prefix);
  };
  return Object.assign(factory, { termNamed });
}

/**
 * Goes through what was read, each part once, without recursion: refuses what is too much for a message, so that a text is refused
 * by every thread or by none.
 *
 * @throws FuzzError `query`.
 */
function takeParts(root: TextUnits[keyof TextUnits]): void {
  const { parts: most, levels } = textLimits;
  const seen = new Set<object>();
  let level: object[] = [root];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth === levels)
      throw new FuzzError('query', `SPARQL: expected at most ${levels} operators and groups in one another`, {
        hint: 'Nest less.',
      });
    const below: object[] = [];
    for (const part of level) {
      if (seen.has(part)) continue;
      seen.add(part);
      // A name has no parts but its place.
      if ('subType' in part && part.subType === 'namedNode') continue;
      for (const each of Object.values(part)) if (typeof each === 'object' && each !== null) below.push(each);
    }
    if (seen.size > most)
      throw new FuzzError('query', `SPARQL: expected a query of at most ${most} parts, got more`, {
        hint: 'Ask in parts.',
      });
    level = below;
  }
}

/** What the lexer and the parser throw themselves is told in their words. */
function asFuzzError(error: unknown, text: string): FuzzError {
  // The limits keep the stack well away from this; anyone who calls may have used most of it.
  if (error instanceof RangeError)
    return new FuzzError('query', 'SPARQL: nested too deep', { hint: 'Nest less.' });
  const message = messageOf(error);
  const offset = /^unexpected character: .* at offset: (\d+)/s.exec(message)?.[1];
  if (offset !== undefined) return unknownWord(text, Number(offset));
  return new FuzzError('query', `SPARQL: ${message}`, { hint: notRead });
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
