import type {
  Expression,
  Pattern,
  PatternFilter,
  PatternValues,
  Term,
  TermVariable,
} from '@traqula/rules-sparql-1-1';
import { placeOf } from '../syntax/parsed-text.ts';
import type { Binding, Condition, PatternGroup } from './fact-pattern.ts';
import type { FactReader, VariableKind } from './read-fact.ts';

/** What a condition is read with. */
export interface ConditionReading {
  readonly reader: FactReader;
  /** The variables of the patterns. */
  readonly bound: ReadonlySet<number>;
  /** Reads the group of an `EXISTS`. */
  readonly groupOf: (patterns: readonly Pattern[]) => PatternGroup;
}

/**
 * The conditions of a filter: `=`, `!=`, `IN`, `NOT IN`, joined by `&&`, `||` and `!`; `EXISTS` and `NOT EXISTS`. `VALUES` of one variable
 * is a condition on the variable, which patterns give its values.
 *
 * @throws FuzzError `query` or `vocabulary`, with the place.
 */
export function readCondition(
  pattern: PatternFilter | PatternValues,
  reading: ConditionReading,
): Condition[] {
  const at = placeOf(pattern);
  if (pattern.subType === 'values') return [valuesCondition(pattern, at, reading)];
  return readParts(pattern.expression, at, reading);
}

function readParts(expression: Expression, at: number, reading: ConditionReading): Condition[] {
  if (expression.type === 'expression' && expression.subType === 'operation' && expression.operator === '&&')
    return expression.args.flatMap((each) => readParts(each, at, reading));
  const inner = negatedIn(expression);
  if (inner.expression.type === 'expression' && inner.expression.subType === 'patternOperation') {
    const { operator, args } = inner.expression;
    const isNegated = (operator === 'notexists') !== inner.isNegated;
    // All variables have values where the group is matched.
    return [{ slots: reading.bound, exists: reading.groupOf(args.patterns), isNegated }];
  }
  const slots = new Set<number>();
  return [{ slots, holds: readTest(expression, at, reading, slots) }];
}

function negatedIn(
  expression: Expression,
  isNegated = false,
): { expression: Expression; isNegated: boolean } {
  if (expression.type === 'expression' && expression.subType === 'operation' && expression.operator === '!')
    return negatedIn(expression.args[0]!, !isNegated);
  return { expression, isNegated };
}

type Test = (binding: Binding) => boolean;

function readTest(expression: Expression, at: number, reading: ConditionReading, slots: Set<number>): Test {
  if (expression.type !== 'expression' || expression.subType !== 'operation') throw refuse(at, reading);
  const { operator, args } = expression;
  if (operator === '!' || operator === '&&' || operator === '||') {
    const tests = args.map((each) => readTest(each, at, reading, slots));
    if (operator === '!') return (binding) => !tests[0]!(binding);
    if (operator === '&&') return (binding) => tests.every((test) => test(binding));
    return (binding) => tests.some((test) => test(binding));
  }
  const isNegated = operator === '!=' || operator === 'notin';
  if (!isNegated && operator !== '=' && operator !== 'in') throw refuse(at, reading);
  const [variable, ...others] = isVariable(args[0]) ? args : [...args].reverse();
  if (!isVariable(variable)) throw refuse(at, reading);
  const among = readAmong(variable, others, at, reading, slots);
  return isNegated ? (binding) => !among(binding) : among;
}

/** Whether a variable is one of some terms. */
function readAmong(
  variable: TermVariable,
  others: readonly Expression[],
  at: number,
  reading: ConditionReading,
  slots: Set<number>,
): Test {
  const { slot, kind } = readSlot(variable, reading);
  slots.add(slot);
  const ids = new Set<number>();
  const same: number[] = [];
  for (const other of others) {
    if (isVariable(other)) {
      const { slot: second, kind: its } = readSlot(other, reading);
      slots.add(second);
      // An entity is no relation.
      if (its === kind) same.push(second);
    } else if (other.type === 'term') ids.add(readId(other, kind, at, reading));
    else throw refuse(at, reading);
  }
  return (binding) => ids.has(binding[slot]!) || same.some((each) => binding[each] === binding[slot]);
}

function valuesCondition(
  { variables, values }: PatternValues,
  at: number,
  reading: ConditionReading,
): Condition {
  const [variable, ...more] = variables;
  const { fail } = reading.reader;
  if (variable === undefined || more.length > 0)
    throw fail(
      at,
      `VALUES: expected one variable, got ${variables.length}`,
      'Write VALUES ?x { entity:a entity:b }.',
    );
  const { slot, kind } = readSlot(variable, reading);
  const ids = new Set(
    values.map(({ [variable.value]: value }) => {
      if (value === undefined) throw fail(at, 'VALUES: expected a name in every row, got UNDEF', 'Name it.');
      return readId(value, kind, at, reading);
    }),
  );
  return { slots: new Set([slot]), holds: (binding) => ids.has(binding[slot]!) };
}

function readId(term: Term, kind: VariableKind, at: number, reading: ConditionReading): number {
  const { names } = reading.reader;
  if (kind === 'entity') return names.entity(term);
  if (term.subType !== 'namedNode') throw refuse(at, reading);
  return names.relation(term);
}

function readSlot(
  term: TermVariable,
  { reader, bound }: ConditionReading,
): { readonly slot: number; readonly kind: VariableKind } {
  const slot = reader.slotOf(term);
  if (slot !== undefined && bound.has(slot)) return { slot, kind: reader.variable(slot).kind };
  const hint = 'A filter is about variables of the patterns before it.';
  throw reader.fail(placeOf(term), `?${term.value}: expected a variable of the patterns`, hint);
}

function isVariable(expression: Expression | undefined): expression is TermVariable {
  return expression?.type === 'term' && expression.subType === 'variable';
}

function refuse(at: number, { reader }: ConditionReading): Error {
  const hint =
    'FILTER knows ?x = entity:a, !=, IN, NOT IN, &&, || and !; EXISTS and NOT EXISTS, joined by &&.';
  return reader.fail(at, 'FILTER: expected a condition on names of facts, got another', hint);
}
