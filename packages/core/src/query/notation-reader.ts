import { FuzzError } from '../errors.ts';
import { expectText } from '../input/expect-text.ts';
import { asEntityId, asRelationId, checkId, type EntityId, inverseOf, type RelationId } from '../kg/ids.ts';
import { inverseSuffix, type Vocabulary } from '../kg/vocabulary.ts';
import { nearestNames } from '../text/nearest.ts';
import { checkOperandCount, checkSize, expectBounds } from './check-query.ts';
import { isOperator, type Operator, operators } from './name-text.ts';
import type { LinkCondition } from './pattern.ts';
import type { Query, Repeat } from './query.ts';
import { describePosition, pointAt } from './text-position.ts';
import { errorAt, readToken, type Token } from './tokens.ts';

/** Reads what a text in the notation is made of, one after the other. */
export interface NotationReader {
  /** What comes next. */
  readonly token: Token;
  advance(): Token;
  /** Goes on at an offset of the text. */
  moveTo(offset: number): void;
  /** The error that something else was expected where a token stands. */
  fail(at: Token, expected: string, hint: string): FuzzError;
  /** Runs a check that knows nothing of the text, and says where in the text it failed. */
  located<T>(at: Token, run: () => T): T;
  expectPunctuation(kind: '(' | ')' | ',', hint: string): void;
  readQuery(depth: number): Query;
  /** A relation, after which a comma or a parenthesis follows. */
  readRelation(follows: ',' | '('): RelationId;
  /** A relation with how often it is followed, after which a parenthesis follows: `r(`, `r+(`, `r^-1*(`. */
  readStep(): Pick<LinkCondition, 'relation' | 'repeat'>;
  /** An entity by its name or id. */
  readEntity(): EntityId;
}

/** A reader of a text from its beginning. Throws: as `parseQueryText`. */
export function createNotationReader(text: string, vocabulary: Vocabulary, path?: string): NotationReader {
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
        const relation = readRelation(',');
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

  const readRelation = (follows: ',' | '('): RelationId => {
    const at = token;
    if (!isName(at)) throw fail(at, 'a relation', usage.project);
    advance();
    if (follows === ',' && token.kind === '(') throw fail(at, 'a relation', usage.project);
    const relation = located(at, () => findRelation(at, vocabulary));
    if (token.kind !== '^-1') return relation;
    advance();
    return inverseOf(relation);
  };

  const readStep = (): Pick<LinkCondition, 'relation' | 'repeat'> => {
    const at = token;
    repeated.lastIndex = end;
    const [sign, inverse, repeat] = repeated.exec(text) ?? [];
    if (isName(at) && sign !== undefined) {
      const relation = located(at, () => findRelation(at, vocabulary));
      ({ token, end } = readToken(text, end + sign.length, path));
      return {
        relation: inverse === undefined ? relation : inverseOf(relation),
        repeat: repeat as Repeat,
      };
    }
    // The names of relations may end with a plus as well.
    if (at.kind !== 'bare name' || !/.\+$/u.test(at.text) || isRelation(at.text, vocabulary))
      return { relation: readRelation('(') };
    token = { ...at, text: at.text.slice(0, -1) };
    return { relation: readRelation('('), repeat: '+' };
  };

  return {
    get token() {
      return token;
    },
    advance,
    moveTo(offset) {
      ({ token, end } = readToken(text, offset, path));
    },
    fail,
    located,
    expectPunctuation,
    readQuery,
    readRelation,
    readStep,
    readEntity() {
      const at = advance();
      return located(at, () => readEntity(at, vocabulary));
    },
  };
}

const usage: Readonly<Record<Operator, string>> = {
  project: 'A projection is project(relation, query).',
  and: 'A conjunction is and(query, query, …).',
  or: 'A disjunction is or(query, query, …).',
  not: 'A negation is not(query), of one query.',
};

/** Whether a token names an entity or a relation. */
export function isName({ kind }: Token): boolean {
  return kind === 'bare name' || kind === 'quoted name' || kind === 'IRI' || kind === 'id';
}

/** How often a relation is followed: a sign between its name and a parenthesis. */
const repeated = /\s*(\^-1)?([*+?])(?=\s*\()/uy;

/** Whether the graph has a relation of this name. */
export function isRelation(name: string, vocabulary: Vocabulary): boolean {
  try {
    vocabulary.withoutNearNames.findRelation(name);
    return true;
  } catch {
    return false;
  }
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
    case 'variable':
      return `the variable ?${token.text}`;
    default:
      return `"${token.kind}"`;
  }
}
