import type { EntityId } from '../kg/ids.ts';
import type { Vocabulary } from '../kg/vocabulary.ts';
import { checkPattern } from './check-pattern.ts';
import { checkSize } from './check-query.ts';
import { isOperator } from './name-text.ts';
import { formatEntity, formatQuery, formatRelation } from './notation.ts';
import { createNotationReader, isName, isRelation } from './notation-reader.ts';
import type { Condition, LinkCondition, Pattern, Term } from './pattern.ts';
import { joined, type Query } from './query.ts';
import { memberOfSet, type SetMeaning } from './set-meaning.ts';
import { readToken, type Token } from './tokens.ts';
import { readValueTest } from './value-notation.ts';
import { formatValueTest } from './value-test.ts';

/**
 * Reads a pattern in the notation of docs/query-notation.md.
 *
 * `?x, ?y : spouse(?x, ?y), works_for(?x, ?c), works_for(?y, ?c), not parent(?x, ?z)`. Without variables before the colon it is a
 * question of yes or no: `borders(France, Spain)`.
 * Ranges: as `checkPattern`.
 *
 * @throws FuzzError `query`, `vocabulary` or `range`, with line and column, and a caret under the place in the hint.
 * @example
 * parsePatternText('?x, ?y : borders(?x, ?y), "uses currency"(?x, Euro)', vocabulary);
 */
export function parsePatternText(text: string, vocabulary: Vocabulary, path?: string): Pattern {
  const reader = createNotationReader(text, vocabulary, path);
  const variables: string[] = [];
  const variableOf = (name: string): number => {
    const at = variables.indexOf(name);
    return at < 0 ? variables.push(name) - 1 : at;
  };
  let conditions = 0;

  const readAnswers = (): number[] => {
    const answers = [variableOf(reader.advance().text)];
    for (;;) {
      const { token } = reader;
      if (text[token.start] === ':') {
        reader.moveTo(token.start + 1);
        return answers;
      }
      if (token.kind !== ',') throw reader.fail(token, '"," or ":"', usage.pattern);
      reader.advance();
      if (reader.token.kind !== 'variable') throw reader.fail(reader.token, 'a variable', usage.pattern);
      answers.push(variableOf(reader.advance().text));
    }
  };

  const readList = (depth: number): Condition[] => {
    const listed = [readCondition(depth)];
    while (reader.token.kind === ',') {
      reader.advance();
      listed.push(readCondition(depth));
    }
    return listed;
  };

  const readConditions = (depth: number): Condition => joined('and', readList(depth));

  const readCondition = (depth: number): Condition => {
    const at = reader.token;
    reader.located(at, () => checkSize(depth, ++conditions, ''));
    if (at.kind === 'variable' || isTermBefore(at)) return readComparison();
    if (at.kind === '(') return readGroup(depth);
    if (at.kind === 'bare name' && (at.text === 'not' || at.text === 'or')) {
      reader.advance();
      if (at.text === 'not') return { op: 'not', operand: readCondition(depth + 1) };
      return readAlternatives(at, depth);
    }
    if (!isName(at)) throw reader.fail(at, 'a condition', usage.link);
    if (at.kind === 'bare name' && (at.text === 'where' || at.text === 'like')) return readSet(at.text);
    return readLink();
  };

  const readSet = (op: SetMeaning['op']): Condition => {
    reader.advance();
    reader.expectPunctuation('(', usage[op]);
    if (reader.token.kind !== 'variable') throw reader.fail(reader.token, 'a variable', usage[op]);
    const variable = variableOf(reader.advance().text);
    reader.expectPunctuation(',', usage[op]);
    const means: SetMeaning =
      op === 'where' ? readValueTest(reader, text, path) : { op, entity: readLiked() };
    reader.expectPunctuation(')', usage[op]);
    return memberOfSet(variable, means);
  };

  const readLiked = (): EntityId => {
    if (!isName(reader.token)) throw reader.fail(reader.token, 'an entity', usage.like);
    return reader.readEntity();
  };

  const readGroup = (depth: number): Condition => {
    reader.advance();
    const inner = readConditions(depth + 1);
    reader.expectPunctuation(')', 'Close the group.');
    return inner;
  };

  const readAlternatives = (at: Token, depth: number): Condition => {
    reader.expectPunctuation('(', usage.or);
    const operands = readList(depth + 1);
    reader.expectPunctuation(')', usage.or);
    if (operands.length < 2) throw reader.fail(at, 'two or more operands of or', usage.or);
    return { op: 'or', operands };
  };

  const readLink = (): Condition => {
    const step = reader.readStep();
    reader.expectPunctuation('(', usage.link);
    const from = readTerm();
    reader.expectPunctuation(',', usage.link);
    const to = readTerm();
    reader.expectPunctuation(')', usage.link);
    return { op: 'link', ...step, from, to };
  };

  const readComparison = (): Condition => {
    const at = reader.token;
    const left = readTerm();
    const operator = reader.advance();
    if (operator.kind === 'bare name' && operator.text === 'in' && 'variable' in left)
      return { op: 'member', variable: left.variable, query: reader.readQuery(1) };
    if (operator.kind !== '=' && operator.kind !== '!=')
      throw reader.fail(operator, '=, != or in', at.kind === 'variable' ? usage.comparison : usage.link);
    const same: Condition = { op: 'same', left, right: readTerm() };
    return operator.kind === '=' ? same : { op: 'not', operand: same };
  };

  const readTerm = (): Term => {
    if (reader.token.kind === 'variable') return { variable: variableOf(reader.advance().text) };
    if (!isName(reader.token)) throw reader.fail(reader.token, 'a variable or an entity', usage.link);
    return { entity: reader.readEntity() };
  };

  /** Whether an entity is compared here, rather than a relation named. */
  const isTermBefore = (at: Token): boolean => {
    if (!isName(at)) return false;
    comparison.lastIndex = readToken(text, at.start, path).end;
    return comparison.test(text);
  };

  const answers = reader.token.kind === 'variable' && isHead(text, reader.token, path) ? readAnswers() : [];
  const where = readConditions(1);
  if (reader.token.kind !== 'end') {
    const hint = reader.token.kind.endsWith('name') ? 'Names with spaces need double quotes.' : usage.pattern;
    throw reader.fail(reader.token, '"," or the end of the pattern', hint);
  }
  const pattern = { variables, answers, where };
  checkPattern(pattern, vocabulary, path);
  return pattern;
}

/** Whether a text is a pattern and no tree: it has a variable, or a relation with two terms. */
export function isPatternText(text: string): boolean {
  try {
    for (let at = 0, last: Token | undefined; ; ) {
      const { token, end } = readToken(text, at);
      if (token.kind === 'variable' || token.kind === '=' || token.kind === '!=') return true;
      if (token.kind === 'end') return false;
      const isRelation =
        last !== undefined && (last.kind === '^-1' || (isName(last) && !isTreeOperator(last)));
      if (token.kind === '(' && isRelation) return true;
      [last, at] = [token, end];
    }
  } catch {
    // Signs of repetition are words of patterns alone. Of any other text, its reader says what is wrong.
    return /[*?]\s*\(/u.test(text);
  }
}

/**
 * Writes a pattern in the notation, with names as `formatQuery` writes them.
 *
 * `parsePatternText(formatPattern(pattern, vocabulary), vocabulary)` is the pattern again, up to the order of its variables.
 *
 * @throws FuzzError `range` or `query`, as `checkPattern` does.
 */
export function formatPattern(pattern: Pattern, vocabulary: Vocabulary): string {
  checkPattern(pattern, vocabulary);
  const { variables, answers, where } = pattern;
  const variable = (at: number): string => `?${variables[at]}`;
  const term = (given: Term): string =>
    'variable' in given ? variable(given.variable) : formatEntity(given.entity, vocabulary);
  const write = (node: Condition): string => {
    switch (node.op) {
      case 'link':
        return `${formatStep(node, vocabulary)}(${term(node.from)}, ${term(node.to)})`;
      case 'same':
        return `${term(node.left)} = ${term(node.right)}`;
      case 'member':
        if (node.means?.op === 'where')
          return `where(${variable(node.variable)}, ${formatValueTest(node.means)})`;
        if (node.means?.op === 'like')
          return `like(${variable(node.variable)}, ${formatEntity(node.means.entity, vocabulary)})`;
        // The meaning of a given set is written elsewhere.
        return `${variable(node.variable)} in ${formatQuery(node.query as Query, vocabulary)}`;
      case 'not':
        if (node.operand.op === 'same') return write(node.operand).replace(' = ', ' != ');
        return `not ${write(node.operand)}`;
      case 'or':
        return `or(${node.operands.map(write).join(', ')})`;
      default:
        return `(${node.operands.map(write).join(', ')})`;
    }
  };
  const conditions = where.op === 'and' ? where.operands.map(write).join(', ') : write(where);
  return answers.length === 0 ? conditions : `${answers.map(variable).join(', ')} : ${conditions}`;
}

/** A relation whose name is a word of the notation stands between quotes, or whose name with a plus is another relation. */
function formatStep({ relation, repeat }: LinkCondition, vocabulary: Vocabulary): string {
  const name = formatRelation(relation, vocabulary);
  const isWord =
    ['in', 'where', 'like'].includes(name) || (repeat === '+' && isRelation(`${name}+`, vocabulary));
  return `${isWord ? `"${name}"` : name}${repeat ?? ''}`;
}

const comparison = /\s*!?=/uy;

/** Whether the variables before a colon begin here, rather than a comparison. */
function isHead(text: string, first: Token, path: string | undefined): boolean {
  const { end } = readToken(text, first.start, path);
  const { token } = readToken(text, end, path);
  return token.kind === ',' || text[token.start] === ':';
}

function isTreeOperator({ kind, text }: Token): boolean {
  return kind === 'bare name' && isOperator(text);
}

const usage = {
  pattern: 'A pattern is ?x, ?y : condition, condition, …',
  link: 'A condition is relation(?x, ?y), relation+(?x, entity), ?x = entity, ?x != ?y, ?x in query, where(?x, property > 200), like(?x, entity), not condition or or(condition, condition).',
  or: 'A disjunction is or(condition, condition, …); conditions between parentheses hold together.',
  where: 'A condition on values is where(?x, property > 200).',
  like: 'A condition of likeness is like(?x, entity).',
  comparison: 'Compare by ?x = entity, ?x != ?y, or ?x in query.',
} as const;
