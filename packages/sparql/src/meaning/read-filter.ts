import type { EntityId } from '@fuzzqe/core';
import type { Expression, Pattern, TermVariable } from '@traqula/rules-sparql-1-1';
import { isAnswerColumn, readVariable } from './answer-columns.ts';
import { entitiesConstraint, groupsConstraint, negated } from './constraints.ts';
import type { Constraint, Element, Reading } from './element.ts';

/** What a filter says of the answers themselves: how high their degree is, or that they are not recorded. */
export type AnswerFilter =
  | { readonly degree: number /** Whether the degree itself is left out. */; readonly above: boolean }
  | { readonly known: false };

/** What filters are read with, apart from the text. */
export interface FilterReading extends Reading {
  /** Reads a group within the filter. */
  elementsOf(patterns: readonly Pattern[]): Element[];
  /** Hears what is said of the answers; a filter of a group within cannot say it. */
  onAnswers?: ((filter: AnswerFilter) => void) | undefined;
}

/**
 * The constraints of a filter: `EXISTS`, `NOT EXISTS`, that a variable is an entity or one of some, or is not, and parts
 * joined by `&&`.
 *
 * @throws FuzzError `query` or `vocabulary`, with the place: anything else.
 */
export function readFilter(expression: Expression, at: number, reading: FilterReading): Constraint[] {
  if (expression.type === 'term') throw refuse(at, reading);
  if (expression.subType === 'patternOperation') {
    const elements = reading.elementsOf(expression.args.patterns);
    const exists = groupsConstraint([elements], 'filter', at, reading);
    return [expression.operator === 'exists' ? exists : negated(exists)];
  }
  if (expression.subType !== 'operation') throw refuse(at, reading);
  const { operator, args } = expression;
  const [left, right] = args;
  if (left === undefined) throw refuse(at, reading);
  if (operator === '&&') return args.flatMap((each) => readFilter(each, at, reading));
  if (operator === '!') {
    // Of more than one condition it would be a disjunction.
    if (left.subType === 'patternOperation') return readFilter(left, at, reading).map(negated);
    if (!isVariable(left) || left.value !== 'known') throw refuse(at, reading);
    tell({ known: false }, at, reading);
    return [];
  }
  if (Object.hasOwn(turned, operator) && right !== undefined) {
    tell(readDegree(operator, left, right, at, reading), at, reading);
    return [];
  }
  const isIn = operator === 'in' || operator === 'notin';
  if (!isIn && operator !== '=' && operator !== '!=') throw refuse(at, reading);
  const [variable, ...values] = isIn || isVariable(left) ? args : [...args].reverse();
  // What answers are asked for is no entity, so its values are none either.
  if (variable === undefined || !isVariable(variable) || isAnswerColumn(variable.value))
    throw refuse(at, reading);
  const entities = values.map((value): EntityId => {
    if (value.type !== 'term') throw refuse(at, reading);
    return reading.names.entity(value);
  });
  const [first, ...rest] = entities;
  if (first === undefined) throw refuse(at, reading);
  const among = entitiesConstraint(readVariable(variable, reading), [first, ...rest], 'filter', at);
  return [operator === '=' || operator === 'in' ? among : negated(among)];
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
    'FILTER knows EXISTS, NOT EXISTS, ?x = entity:a, !=, IN, NOT IN, ?degree >= 0.5 and !?known, joined by &&.';
  return fail(at, 'FILTER: expected a condition that answers by degrees can meet, got another', hint);
}
