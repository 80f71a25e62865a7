import type { EntityId } from '@fuzzqe/core';
import type { Condition } from '@fuzzqe/core/query';
import type { Expression, Pattern, TermVariable } from '@traqula/rules-sparql-1-1';
import { isAnswerColumn, readVariable } from './answer-columns.ts';
import { oneOf } from './one-of.ts';
import { filtersAlone, type Reading } from './reading.ts';

/** What a filter says of the answers themselves: how high their degree is, or that they are not recorded. */
export type AnswerFilter =
  | { readonly degree: number /** Whether the degree itself is left out. */; readonly above: boolean }
  | { readonly known: false };

/** What filters are read with, apart from the text. */
export interface FilterReading extends Reading {
  /** The variables that have values where the filter bears. */
  readonly visible: ReadonlySet<string>;
  /** All variables that the group names. */
  readonly mentions: Set<string>;
  /** Where the group of the filter begins. */
  readonly groupAt: number;
  /** What a group within the filter says; undefined if it says nothing. */
  exists(patterns: readonly Pattern[], at: number): Condition | undefined;
  /** Hears what is said of the answers; a filter of a group within cannot say it. */
  readonly onAnswers?: ((filter: AnswerFilter) => void) | undefined;
}

/**
 * The conditions of a filter: `EXISTS`, `NOT EXISTS`, that a variable is an entity, one of some or another variable, joined by `&&`, `||` and `!`.
 *
 * @throws FuzzError `query` or `vocabulary`, with the place: anything else.
 */
export function readFilter(expression: Expression, at: number, reading: FilterReading): Condition[] {
  if (expression.type !== 'term' && expression.subType === 'operation') {
    const { operator, args } = expression;
    const [left, right] = args;
    if (operator === '&&') return args.flatMap((each) => readFilter(each, at, reading));
    if (operator === '!' && left !== undefined && isVariable(left) && left.value === 'known') {
      tell({ known: false }, at, reading);
      return [];
    }
    if (Object.hasOwn(turned, operator) && left !== undefined && right !== undefined) {
      tell(readDegree(operator, left, right, at, reading), at, reading);
      return [];
    }
  }
  return [readCondition(expression, at, reading)];
}

/** A condition on the values of variables, not on the answers themselves. */
function readCondition(expression: Expression, at: number, reading: FilterReading): Condition {
  if (expression.type === 'term') throw refuse(at, reading);
  if (expression.subType === 'patternOperation') {
    const condition = reading.exists(expression.args.patterns, at);
    if (condition === undefined) throw refuse(at, reading);
    return expression.operator === 'exists' ? condition : { op: 'not', operand: condition };
  }
  if (expression.subType !== 'operation') throw refuse(at, reading);
  const { operator, args } = expression;
  const [left] = args;
  if (left === undefined) throw refuse(at, reading);
  if (operator === '!') return { op: 'not', operand: readCondition(left, at, reading) };
  if (operator === '&&' || operator === '||') {
    const operands = args.map((each) => readCondition(each, at, reading));
    return { op: operator === '&&' ? 'and' : 'or', operands };
  }
  const condition = readComparison(operator, args, at, reading);
  return operator === '!=' || operator === 'notin' ? { op: 'not', operand: condition } : condition;
}

/** `=`, `!=`, `IN` and `NOT IN`, as if they said that both are the same. */
function readComparison(
  operator: string,
  args: readonly Expression[],
  at: number,
  reading: FilterReading,
): Condition {
  const isIn = operator === 'in' || operator === 'notin';
  if (!isIn && operator !== '=' && operator !== '!=') throw refuse(at, reading);
  const [variable, ...values] = isIn || isVariable(args[0]!) ? args : [...args].reverse();
  const left = filteredVariable(variable, at, reading);
  const [first] = values;
  if (!isIn && first !== undefined && isVariable(first))
    return {
      op: 'same',
      left: { variable: left },
      right: { variable: filteredVariable(first, at, reading) },
    };
  const entities = values.map((value): EntityId => {
    if (value.type !== 'term') throw refuse(at, reading);
    return reading.names.entity(value);
  });
  if (entities.length === 0) throw refuse(at, reading);
  return oneOf(left, entities);
}

/** The number of a variable that has a value here; a value of the answers is no entity. */
function filteredVariable(term: Expression | undefined, at: number, reading: FilterReading): number {
  if (term === undefined || !isVariable(term) || isAnswerColumn(term.value)) throw refuse(at, reading);
  const name = readVariable(term, reading);
  reading.mentions.add(name);
  if (!reading.visible.has(name)) throw filtersAlone(name, reading.groupAt, reading);
  return reading.scope.numberOf(name);
}

/** The comparisons of degrees, and what each is from the other side. */
const turned: Readonly<Record<string, string>> = { '>=': '<=', '<=': '>=', '>': '<', '<': '>' };

function readDegree(
  operator: string,
  left: Expression,
  right: Expression,
  at: number,
  reading: Reading,
): AnswerFilter {
  const isFirst = isVariable(left);
  const [variable, bound] = isFirst ? [left, right] : [right, left];
  const comparison = isFirst ? operator : turned[operator]!;
  if (!isVariable(variable) || variable.value !== 'degree' || bound.subType !== 'literal') {
    throw refuse(at, reading);
  }
  const degree = typeof bound.langOrIri === 'object' ? Number(bound.value) : Number.NaN;
  if (!comparison.startsWith('>') || !(degree >= 0 && degree <= 1)) {
    const hint = 'For example FILTER(?degree >= 0.5): degrees are from 0 to 1, and the highest come first.';
    throw reading.fail(at, 'FILTER: expected ?degree to be at least a number in [0, 1]', hint);
  }
  return { degree, above: comparison === '>' };
}

function isVariable(expression: Expression): expression is TermVariable {
  return expression.subType === 'variable';
}

function tell(filter: AnswerFilter, at: number, { onAnswers, fail }: FilterReading): void {
  if (onAnswers === undefined) {
    throw fail(
      at,
      'FILTER: expected ?degree and ?known outside of inner braces',
      'They are about the answers.',
    );
  }
  onAnswers(filter);
}

function refuse(at: number, { fail }: Reading): Error {
  const hint =
    'FILTER knows EXISTS, NOT EXISTS, ?x = entity:a, ?x != ?y, IN and NOT IN, joined by &&, || and !, and ?degree >= 0.5 and !?known, joined by &&.';
  return fail(at, 'FILTER: expected a condition that answers by degrees can meet, got another', hint);
}
