import { FuzzError } from '../errors.ts';
import { describeValue } from '../input/describe-value.ts';
import { asEntityId, asRelationId } from '../kg/ids.ts';
import { checkOperandCount, checkSize } from './check-query.ts';
import type { Query } from './query.ts';

/** A query as KGReasoning writes it, with arrays for tuples: numbers nested in arrays. */
export type BetaETuple = number | readonly BetaETuple[];

const union = -1;
const negation = -2;

/**
 * Reads a query in the nested tuples of KGReasoning.
 *
 * `[x, [r, …]]` applies relations to x from left to right, -2 among them negates what has been reached so far;
 * x is an entity or a tuple. `[t, t, …]` is a conjunction of tuples, `[t, t, …, [-1]]` a disjunction.
 * Structure 2in is `[[a, [r]], [b, [r, -2]]]`, up is `[[[a, [r]], [b, [r]], [-1]], [r]]`.
 * Ranges: ids are non-negative integers; `checkQuery` holds them against a graph.
 *
 * @throws FuzzError `query`: anything else.
 * Source: https://github.com/snap-stanford/KGReasoning, `query_name_dict` in main.py and `flatten_query`.
 * @example
 * const twoHops = queryFromBetaE([7, [3, 5]]);
 */
export function queryFromBetaE(tuple: unknown, path = '$'): Query {
  let nodes = 0;
  const count = (depth: number, path: string): void => {
    nodes++;
    checkSize(depth, nodes, path);
  };

  const read = (value: unknown, path: string, depth: number): Query => {
    count(depth, path);
    if (typeof value === 'number') {
      return { op: 'entity', entity: asEntityId(readId(value, 'entity', path)) };
    }
    if (!Array.isArray(value)) throw unexpected('an entity id or an array', value, path);
    const items: readonly unknown[] = value;
    const last = items.at(-1);
    if (!isNumbers(last)) return readOperands('and', items, path, depth);
    if (last.length === 1 && last[0] === union) return readOperands('or', items.slice(0, -1), path, depth);
    if (items.length !== 2) {
      throw unexpected('[query, [relation, …]]', items, path, 'Relations follow one query, as in [7, [3]].');
    }
    return readPath(items[0], last, path, depth);
  };

  const readPath = (start: unknown, steps: readonly number[], path: string, depth: number): Query => {
    checkSize(depth + steps.length, nodes, path);
    const from = read(start, `${path}[0]`, depth + steps.length);
    return steps.reduce<Query>((inner, step, i) => {
      const here = `${path}[1][${i}]`;
      count(1, here);
      if (step === negation) return { op: 'not', operand: inner };
      return { op: 'project', relation: asRelationId(readId(step, 'relation', here)), from: inner };
    }, from);
  };

  const readOperands = (op: 'and' | 'or', items: readonly unknown[], path: string, depth: number): Query => {
    checkOperandCount(op, items.length, path);
    return { op, operands: items.map((item, i) => read(item, `${path}[${i}]`, depth + 1)) };
  };

  return read(tuple, path, 1);
}

/**
 * Writes a query in the nested tuples of KGReasoning: the inverse of `queryFromBetaE`.
 *
 * An anchor that no relation leaves is written `[e, []]`, which keeps every tuple apart from a list of relations.
 */
export function queryToBetaE(query: Query): BetaETuple {
  const steps: number[] = [];
  let base = query;
  while (base.op === 'project' || base.op === 'not') {
    steps.unshift(base.op === 'not' ? negation : base.relation);
    base = base.op === 'not' ? base.operand : base.from;
  }
  if (base.op === 'entity') return [base.entity, steps];
  const operands = base.operands.map(queryToBetaE);
  const branches = base.op === 'or' ? [...operands, [union]] : operands;
  return steps.length === 0 ? branches : [branches, steps];
}

function isNumbers(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'number');
}

function readId(value: number, kind: 'entity' | 'relation', path: string): number {
  if (Number.isInteger(value) && value >= 0) return value;
  const also = kind === 'relation' ? ' (or -2 for a negation)' : '';
  throw unexpected(`${kind === 'entity' ? 'an entity' : 'a relation'} id >= 0${also}`, value, path);
}

function unexpected(expected: string, value: unknown, path: string, hint?: string): FuzzError {
  return new FuzzError('query', `query tuple: expected ${expected}, got ${describeValue(value)}`, {
    path,
    hint: hint ?? 'Nested tuples look like [[1, [0]], [2, [3, -2]]]; -1 is union and -2 negation.',
  });
}
