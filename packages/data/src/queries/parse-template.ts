import { didYouMean, FuzzError } from '@fuzzqe/core';
import { maxQueryDepth, type Template } from '@fuzzqe/core/query';

/** A word of a structure's text. */
interface Token {
  readonly text: string;
  readonly start: number;
}

const operators = ['project', 'and', 'or', 'not'];

/**
 * Reads the query notation with placeholders in the place of names: `project(?r1, ?a1)`.
 *
 * A placeholder is `?` and letters, digits or `_`; it stands for a slot of its own, so each is written once. Slots are
 * numbered as in the 14 structures: anchors as they are read, relations as they are applied.
 *
 * @throws FuzzError `query` with the column: no such form; a placeholder twice; a name in the place of a placeholder;
 *   a shape that no query is sampled of, since its answers are nearly all entities or it asks nothing.
 */
export function parseTemplate(text: string): Template {
  const tokens = tokensOf(text);
  const seen = new Set<string>();
  let at = 0;
  let anchors = 0;
  let relations = 0;
  let depth = 0;

  const fail = (token: Token, expected: string, hint: string): FuzzError => {
    const got = token.text === '' ? 'the end of the text' : JSON.stringify(token.text);
    return refusal(token, `expected ${expected}, got ${got}`, hint);
  };
  const expectPunctuation = (kind: string, hint: string): void => {
    if (tokens[at]!.text !== kind) throw fail(tokens[at]!, `"${kind}"`, hint);
    at++;
  };
  const takePlaceholder = (kind: 'anchor' | 'relation'): void => {
    const token = tokens[at]!;
    if (!token.text.startsWith('?')) {
      const example = kind === 'anchor' ? '?a1' : '?r1';
      throw fail(
        token,
        `a placeholder for ${kind === 'anchor' ? 'an anchor' : 'a relation'}`,
        `A structure names no ${kind}: write ${example}, and every query has its own. Inverses are drawn, too.`,
      );
    }
    if (seen.has(token.text)) {
      const hint = 'Each placeholder is a slot of its own: give every one another name.';
      throw refusal(token, `expected each placeholder once, got ${token.text} again`, hint);
    }
    seen.add(token.text);
    at++;
  };
  const readOperands = (op: 'and' | 'or', token: Token): Template => {
    const operands = [readQuery()];
    while (tokens[at]!.text === ',') {
      at++;
      operands.push(readQuery());
    }
    expectPunctuation(')', `Close ${op}(…), or put a comma before the next operand.`);
    if (operands.length < 2) throw refusal(token, `${op}: expected two or more operands, got 1`, 'Drop it.');
    const open = operands.findIndex((operand) => operand.op === 'not');
    if (open >= 0 && (op === 'or' || operands.every((operand) => operand.op === 'not')))
      throw refusal(token, `${op}: expected an operand that is not negated beside not(…)`, boundHint);
    return { op, operands };
  };
  const readQuery = (): Template => {
    const token = tokens[at]!;
    if (++depth > maxQueryDepth)
      throw refusal(token, `expected at most ${maxQueryDepth} levels, got more`, 'Nest less deeply.');
    const template = readNode(token);
    depth--;
    return template;
  };
  const readNode = (token: Token): Template => {
    if (tokens[at + 1]?.text !== '(') {
      takePlaceholder('anchor');
      return { op: 'entity', anchor: anchors++ };
    }
    at += 2;
    switch (token.text) {
      case 'project': {
        takePlaceholder('relation');
        expectPunctuation(',', 'A projection is project(?relation, query).');
        const start = tokens[at]!;
        const from = readQuery();
        if (from.op === 'not')
          throw refusal(start, 'project: expected a query that is not negated', boundHint);
        expectPunctuation(')', 'A projection is project(?relation, query).');
        return { op: 'project', relation: relations++, from };
      }
      case 'not': {
        const start = tokens[at]!;
        const operand = readQuery();
        if (operand.op === 'not')
          throw refusal(start, 'not: expected a query that is not negated', 'Drop both.');
        expectPunctuation(')', 'A negation is not(query), of one query.');
        return { op: 'not', operand };
      }
      case 'and':
      case 'or':
        return readOperands(token.text, token);
      default:
        throw fail(
          token,
          'project, and, or or not before "("',
          didYouMean(token.text, operators, 'Join by and.'),
        );
    }
  };

  const template = readQuery();
  if (tokens[at]!.text !== '') throw fail(tokens[at]!, 'the end of the text', 'Join several by and(…).');
  if (template.op === 'not') throw refusal(tokens[0]!, 'expected a query that is not negated', boundHint);
  if (relations === 0)
    throw refusal(tokens[0]!, 'expected at least one project(…), got none', 'Its answer is its anchor.');
  return template;
}

const boundHint =
  'A negation is an operand of an and(…) that has an operand without one: and(project(?r1, ?a1), not(project(?r2, ?a2))).';

function refusal(token: Token, message: string, hint: string): FuzzError {
  return new FuzzError('query', `structure: ${message}`, { path: `column ${token.start + 1}`, hint });
}

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  for (const match of text.matchAll(/[(),]|\?[\p{L}\p{M}\p{N}_]+|[^\s(),]+/gu))
    tokens.push({ text: match[0], start: match.index });
  tokens.push({ text: '', start: text.length });
  return tokens;
}
