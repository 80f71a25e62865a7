import { FuzzError } from '../errors.ts';
import { describeValue } from '../input/describe-value.ts';
import { checkId } from '../kg/ids.ts';
import { nodesOf } from './nodes.ts';
import type { Query, SetQuery } from './query.ts';

/** How deep a query read from outside may be nested; beyond it readers refuse instead of overflowing the stack. */
export const maxQueryDepth = 64;

/** How many operators and anchors a query read from outside may have. */
const maxQueryNodes = 1024;

/** How many entities and relations there are to name; relationCount counts inverses. */
export interface QueryBounds {
  readonly entityCount: number;
  readonly relationCount: number;
}

/**
 * Refuses what counts no entities, such as an engine instead of its vocabulary or its facts.
 *
 * @throws FuzzError `usage`.
 */
export function expectBounds(given: QueryBounds | undefined | null): void {
  if (Number.isInteger(given?.entityCount)) return;
  // All of a large object is not written for this.
  const got = typeof given === 'object' && given !== null ? 'another object' : describeValue(given);
  throw new FuzzError('usage', `expected a vocabulary or a graph, got ${got}`, {
    hint: 'An engine has both: engine.vocabulary names, and engine.facts is the graph.',
  });
}

/**
 * Checks that a query is well formed and names only what exists.
 *
 * Ranges: entities in [0, entityCount), relations in [0, relationCount); and/or with at least two operands; at most
 * 64 levels and 1024 nodes. Paths are those of the JSON form: `$.and[1].from.entity`.
 *
 * @param at the path of the query itself.
 * @throws FuzzError `range`: an id outside its range. `query`: what is no query, an operator with the wrong number of
 *   operands, or a query that is too deep or too large. `usage`: what counts nothing.
 */
export function checkQuery(query: SetQuery, bounds: QueryBounds, at = '$'): void {
  expectBounds(bounds);
  const { entityCount, relationCount } = bounds;
  let nodes = 0;
  const visit = (node: SetQuery, path: string, depth: number): void => {
    nodes++;
    checkSize(depth, nodes, path);
    // Callers without types may give anything.
    switch (node?.op) {
      case 'entity':
        checkId('entity', node.entity, entityCount, `${path}.entity`);
        return;
      case 'project':
        checkId('relation', node.relation, relationCount, `${path}.project`);
        visit(node.from, `${path}.from`, depth + 1);
        return;
      case 'not':
        visit(node.operand, `${path}.not`, depth + 1);
        return;
      case 'and':
      case 'or':
        if (!Array.isArray(node.operands))
          throw noQuery('an array of queries', node.operands, `${path}.${node.op}`);
        checkOperandCount(node.op, node.operands.length, `${path}.${node.op}`);
        for (const [i, operand] of node.operands.entries())
          visit(operand, `${path}.${node.op}[${i}]`, depth + 1);
        return;
      default:
        throw noQuery('a query of entity, project, and, or, not', node, path);
    }
  };
  visit(query, at, 1);
}

/**
 * What is likely not meant in a query that is well formed, as `code: text` lines; empty when there is nothing.
 *
 * `open-negation`: a `not` that is no operand of an `and` with a positive operand; its answers are nearly all
 * entities, and no training query has that form.
 */
export function queryWarnings(query: Query): string[] {
  if (!hasNegation(query)) return [];
  const warnings: string[] = [];
  const visit = (node: Query, path: string, bounded: boolean): void => {
    switch (node.op) {
      case 'entity':
        return;
      case 'project':
        visit(node.from, `${path}.from`, false);
        return;
      case 'not':
        if (!bounded) {
          warnings.push(
            `open-negation: ${path}: the answers are a complement over all entities; ` +
              'join it by "and" with an operand that is not negated',
          );
        }
        visit(node.operand, `${path}.not`, false);
        return;
      case 'and':
      case 'or': {
        const positive = node.op === 'and' && node.operands.some((operand) => operand.op !== 'not');
        node.operands.forEach((operand, i) => {
          visit(operand, `${path}.${node.op}[${i}]`, positive);
        });
        return;
      }
      default:
        node satisfies never;
    }
  };
  visit(query, '$', false);
  return warnings;
}

/** Whether some part of a query is negated. */
export function hasNegation(query: Query): boolean {
  return nodesOf(query).some(({ op }) => op === 'not');
}

function noQuery(expected: string, got: unknown, path: string): FuzzError {
  return new FuzzError('query', `query: expected ${expected}, got ${describeValue(got)}`, {
    path,
    hint: 'parseQueryText reads text, and readQuery the JSON form.',
  });
}

/** Refuses a conjunction or disjunction of fewer than two. */
export function checkOperandCount(op: 'and' | 'or', count: number, path: string): void {
  if (count >= 2) return;
  throw new FuzzError('query', `${op}: expected two or more operands, got ${count}`, {
    path,
    hint: count === 1 ? `Write the operand alone, without "${op}".` : `Give "${op}" the queries to join.`,
  });
}

/** Refuses a node that stands too deep, or that is one too many. */
export function checkSize(depth: number, nodes: number, path: string): void {
  if (depth > maxQueryDepth) {
    throw new FuzzError('query', `query: expected at most ${maxQueryDepth} levels, got more`, {
      path,
      hint: 'Join operands in one "and" or "or" instead of nesting them.',
    });
  }
  if (nodes > maxQueryNodes) {
    throw new FuzzError('query', `query: expected at most ${maxQueryNodes} nodes, got more`, {
      path,
      hint: 'Split the query into several.',
    });
  }
}
