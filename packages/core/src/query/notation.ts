import { FuzzError } from '../errors.ts';
import { expectText } from '../input/expect-text.ts';
import { asEntityId, asRelationId, checkId, type EntityId, inverseOf, type RelationId } from '../kg/ids.ts';
import { isIri, withPrefix } from '../kg/prefixes.ts';
import { inverseSuffix, type NameEntry, type Vocabulary } from '../kg/vocabulary.ts';
import { nearestNames } from '../text/nearest.ts';
import { checkOperandCount, checkQuery, checkSize, expectBounds } from './check-query.ts';
import { isBareName, isOperator, type Operator, operators, writeName } from './name-text.ts';
import type { Query } from './query.ts';
import { describePosition, pointAt } from './text-position.ts';
import { errorAt, readToken, type Token } from './tokens.ts';

/**
 * Reads a query in the notation of docs/query-notation.md.
 *
 * `and(project(borders, France), not(project(currency^-1, Euro)))`
 * Ranges: at most 64 levels and 1024 nodes. `path` says where the text stands, for errors.
 *
 * @throws FuzzError `query`, `vocabulary` or `range`, with line and column, and a caret under the place in the hint.
 * @example
 * const query = parseQueryText('and(project(borders, France), not(project(borders, Germany)))', vocabulary);
 */
export function parseQueryText(text: string, vocabulary: Vocabulary, path?: string): Query {
  expectText('query', text, 'query', path);
  expectBounds(vocabulary);
  let { token, end } = readToken(text, 0, path);
  let nodes = 0;

  const advance = (): Token => {
    const taken = token;
    ({ token, end } = readToken(text, end, path));
    return taken;
  };
  const fail = (at: Token, expected: string, hint: string): FuzzError =>
    errorAt(text, at.start, `query: expected ${expected}, got ${showToken(at)}`, hint, path);

  /** Runs a check that knows nothing of the text, and says where in the text it failed. */
  const located = <T>(at: Token, run: () => T): T => {
    try {
      return run();
    } catch (error) {
      if (!(error instanceof FuzzError)) throw error;
      const place = describePosition(text, at.start);
      throw new FuzzError(error.code, error.message, {
        path: path === undefined ? place : `${path}, ${place}`,
        hint: `${error.hint ?? 'Here:'}\n${pointAt(text, at.start)}`,
        cause: error,
      });
    }
  };

  const expectPunctuation = (kind: '(' | ')' | ',', hint: string): void => {
    if (token.kind !== kind) {
      const spaced = token.kind.endsWith('name') ? ' Names with spaces need double quotes.' : '';
      throw fail(token, `"${kind}"`, hint + spaced);
    }
    advance();
  };

  const readQuery = (depth: number): Query => {
    const at = token;
    located(at, () => checkSize(depth, ++nodes, ''));
    if (at.kind === 'end') {
      throw fail(
        at,
        'a query',
        'A query is an entity or project(relation, query), and(…), or(…), not(query).',
      );
    }
    if (!isName(at)) {
      throw fail(
        at,
        'an entity or an operator',
        'Parentheses stand only after an operator, as in not(query).',
      );
    }
    advance();
    if (token.kind === '(') return readCall(at, depth);
    if (token.kind === '^-1') {
      throw fail(token, 'an entity', 'Only a relation has an inverse: project(relation^-1, query).');
    }
    return { op: 'entity', entity: located(at, () => readEntity(at, vocabulary)) };
  };

  const readCall = (at: Token, depth: number): Query => {
    if (at.kind !== 'bare name' || !isOperator(at.text)) {
      const near = nearestNames(at.text, operators, 1)[0];
      throw fail(at, 'project, and, or or not before "("', near ? `did you mean ${near}?` : usage.project);
    }
    advance();
    switch (at.text) {
      case 'project': {
        const relation = readRelation();
        expectPunctuation(',', usage.project);
        const from = readQuery(depth + 1);
        expectPunctuation(')', usage.project);
        return { op: 'project', relation, from };
      }
      case 'not': {
        const operand = token.kind === ')' ? undefined : readQuery(depth + 1);
        if (operand === undefined) throw fail(token, 'a query', usage.not);
        expectPunctuation(')', usage.not);
        return { op: 'not', operand };
      }
      default:
        return readOperands(at, at.text, depth);
    }
  };

  const readOperands = (at: Token, op: 'and' | 'or', depth: number): Query => {
    const operands: Query[] = [];
    if (token.kind !== ')') {
      operands.push(readQuery(depth + 1));
      while (token.kind === ',') {
        advance();
        operands.push(readQuery(depth + 1));
      }
    }
    expectPunctuation(')', `Close ${op}(…), or put a comma before the next operand.`);
    located(at, () => checkOperandCount(op, operands.length, ''));
    return { op, operands };
  };

  const readRelation = (): RelationId => {
    const at = token;
    if (!isName(at)) {
      throw fail(at, 'a relation', usage.project);
    }
    advance();
    if (token.kind === '(') throw fail(at, 'a relation', usage.project);
    const relation = located(at, () => findRelation(at, vocabulary));
    if (token.kind !== '^-1') return relation;
    advance();
    return inverseOf(relation);
  };

  const query = readQuery(1);
  if (token.kind !== 'end') {
    const hint = token.kind.endsWith('name')
      ? 'Names with spaces need double quotes.'
      : 'Join several queries by and(…) or or(…).';
    throw fail(token, 'the end of the query', hint);
  }
  return query;
}

/**
 * Writes a query in the notation: each name by its label where that is enough to find it again, else by its key, which
 * an IRI has with a prefix of the graph, or in full as `<iri>`.
 *
 * `parseQueryText(formatQuery(query, vocabulary), vocabulary)` is the query again.
 *
 * @throws FuzzError `range` or `query`, as `checkQuery` does.
 * @example
 * formatQuery(parseQueryText('project(borders,France)', vocabulary), vocabulary); // 'project(borders, France)'
 */
export function formatQuery(query: Query, vocabulary: Vocabulary): string {
  checkQuery(query, vocabulary);
  const write = (node: Query): string => {
    switch (node.op) {
      case 'entity':
        return formatEntity(node.entity, vocabulary);
      case 'project':
        return `project(${formatRelation(node.relation, vocabulary)}, ${write(node.from)})`;
      case 'not':
        return `not(${write(node.operand)})`;
      default:
        return `${node.op}(${node.operands.map(write).join(', ')})`;
    }
  };
  return write(query);
}

/** An entity's name as the notation writes it: the label if it finds the entity, else a form of the key. */
function formatEntity(id: EntityId, vocabulary: Vocabulary): string {
  // What is no name of it needs no near ones.
  const { findEntity } = vocabulary.withoutNearNames;
  const find = (name: string): boolean => findEntity(name) === id;
  return formatName(vocabulary.entity(id), find, vocabulary);
}

/** A relation's name as the notation writes it, `^-1` after it for an inverse. */
export function formatRelation(id: RelationId, vocabulary: Vocabulary): string {
  const forward = asRelationId(id - (id % 2));
  const { findRelation } = vocabulary.withoutNearNames;
  const find = (found: string): boolean => findRelation(found) === forward;
  const name = formatName(vocabulary.relation(forward), find, vocabulary);
  return id === forward ? name : name + inverseSuffix;
}

function formatName(
  { key, label }: NameEntry,
  find: (name: string) => boolean,
  { prefixes }: Vocabulary,
): string {
  if (label !== key && finds(find, label)) return writeName(label);
  const short = withPrefix(key, prefixes);
  if (short !== undefined && isBareName(short) && finds(find, short)) return short;
  const inBrackets = `<${key}>`;
  if (isIri(key) && finds(find, inBrackets)) return inBrackets;
  // A key may look like another one between brackets.
  return writeName(finds(find, key) ? key : inBrackets);
}

function finds(find: (name: string) => boolean, name: string): boolean {
  try {
    return find(name);
  } catch (error) {
    // An unknown or ambiguous label: the answer is no.
    if (error instanceof FuzzError) return false;
    throw error;
  }
}

const usage: Readonly<Record<Operator, string>> = {
  project: 'A projection is project(relation, query).',
  and: 'A conjunction is and(query, query, …).',
  or: 'A disjunction is or(query, query, …).',
  not: 'A negation is not(query), of one query.',
};

function isName({ kind }: Token): boolean {
  return kind === 'bare name' || kind === 'quoted name' || kind === 'IRI' || kind === 'id';
}

function readEntity(token: Token, vocabulary: Vocabulary): EntityId {
  if (token.kind !== 'id') return vocabulary.findEntity(token.text);
  const id = Number(token.text);
  checkId('entity', id, vocabulary.entityCount, '');
  return asEntityId(id);
}

function findRelation(token: Token, vocabulary: Vocabulary): RelationId {
  if (token.kind !== 'id') {
    try {
      return vocabulary.findRelation(token.text);
    } catch (error) {
      if (!(error instanceof FuzzError) || !token.text.endsWith(inverseSuffix)) throw error;
      const name = token.text.slice(0, -inverseSuffix.length);
      throw new FuzzError(error.code, error.message, {
        hint: `Write ${inverseSuffix} after the quotes: ${JSON.stringify(name)}${inverseSuffix}.`,
      });
    }
  }
  const id = Number(token.text);
  checkId('relation', id, vocabulary.relationCount, '');
  return asRelationId(id);
}

function showToken(token: Token): string {
  switch (token.kind) {
    case 'end':
      return 'the end of the text';
    case 'bare name':
    case 'quoted name':
    case 'IRI':
      return `the name ${JSON.stringify(token.text)}`;
    case 'id':
      return `the id #${token.text}`;
    default:
      return `"${token.kind}"`;
  }
}
