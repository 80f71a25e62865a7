import { FuzzError } from '../errors.ts';
import { checkId } from '../kg/ids.ts';
import { checkQuery, expectBounds, type QueryBounds } from './check-query.ts';
import { leavesOf, nodesOf } from './nodes.ts';
import { type Condition, type Pattern, type Term, variablesOf } from './pattern.ts';
import { isSetLeaf } from './query.ts';
import { checkValueTest } from './value-test.ts';

/** How many variables a pattern may have: each of them multiplies the assignments. */
export const maxPatternVariables = 16;

/** How many conditions a pattern may have, those within others included. */
export const maxPatternConditions = 64;

/**
 * Checks that a pattern can be answered and names only what exists.
 *
 * Every variable is to be bound by a condition that is not negated, unless only one `not` mentions it. All variables are to hang together
 * by other conditions than ≠, since the answers would else be all pairs.
 * Ranges: as `checkQuery`; at most 16 variables and 64 conditions.
 *
 * @throws FuzzError `range`: an id outside its range. `query`: a variable that no condition binds, parts without a connection, a size.
 */
export function checkPattern(pattern: Pattern, bounds: QueryBounds, path = '$'): void {
  expectBounds(bounds);
  const { variables, answers, where } = pattern;
  if (variables.length > maxPatternVariables)
    throw problem(
      `pattern: expected at most ${maxPatternVariables} variables, got ${variables.length}`,
      path,
      'Ask for a part of it first.',
    );
  let conditions = 0;
  const checkTerm = (term: Term): void => {
    if ('entity' in term) checkId('entity', term.entity, bounds.entityCount, path);
  };
  for (const node of nodesOf(where)) {
    if (++conditions > maxPatternConditions)
      throw problem(
        `pattern: expected at most ${maxPatternConditions} conditions, got more`,
        path,
        'Ask for a part of it first.',
      );
    if (node.op === 'link') {
      checkId('relation', node.relation, bounds.relationCount, path);
      [node.from, node.to].forEach(checkTerm);
    } else if (node.op === 'same') [node.left, node.right].forEach(checkTerm);
    else if (node.op === 'member') {
      if (node.means?.op === 'like') checkId('entity', node.means.entity, bounds.entityCount, path);
      if (node.means?.op === 'where') checkValueTest(node.means, node.means.place ?? path);
      if (!isSetLeaf(node.query)) checkQuery(node.query, bounds, path);
    }
  }
  checkBound(pattern, path);
  checkConnected(pattern, path);
  if (new Set(answers).size < answers.length)
    throw problem(
      'pattern: expected different answer variables, got a variable twice',
      path,
      'Name each once.',
    );
}

function checkBound({ variables, answers, where }: Pattern, path: string): void {
  const bound = boundBy(where, where);
  variables.forEach((name, variable) => {
    if (bound.has(variable) && !(answers.includes(variable) && isOfOneOperand(where, variable))) return;
    const negations = negationsWith(where, variable);
    if (!answers.includes(variable) && negations === 1) return;
    const what = answers.includes(variable) ? 'answer variable' : 'variable';
    const where_ = negations === 0 ? 'in no condition that binds it' : 'only under "not"';
    throw problem(
      `pattern: expected the ${what} ?${name} in a condition that is not negated, got it ${where_}`,
      path,
      `Add a condition such as relation(?${name}, …); every operand of "or" has to bind what it shares with the answers.`,
    );
  });
}

/** The variables that a condition of a whole restricts to entities of the graph. */
function boundBy(condition: Condition, whole: Condition): ReadonlySet<number> {
  switch (condition.op) {
    case 'link':
    case 'member':
      return variablesOf(condition);
    case 'same':
      // Two variables that are the same are bound by what binds one of them.
      return 'entity' in condition.left || 'entity' in condition.right ? variablesOf(condition) : new Set();
    case 'not':
      return new Set();
    case 'or': {
      const bound = condition.operands.map((operand) => boundBy(operand, whole));
      const isOwn = (variable: number, at: number): boolean =>
        mentions(condition.operands[at]!, variable) === mentions(whole, variable);
      // A variable of one operand alone is bound by ∃ inside that operand.
      return new Set(
        bound.flatMap((variables, at) =>
          [...variables].filter((each) => isOwn(each, at) || bound.every((others) => others.has(each))),
        ),
      );
    }
    case 'and': {
      const bound = new Set(condition.operands.flatMap((operand) => [...boundBy(operand, whole)]));
      const pairs = condition.operands.flatMap((operand) =>
        operand.op === 'same' ? [variablesOf(operand)] : [],
      );
      // Once for each pair is enough for a chain of them.
      for (const _ of pairs)
        for (const pair of pairs)
          if ([...pair].some((variable) => bound.has(variable)))
            for (const variable of pair) bound.add(variable);
      return bound;
    }
  }
}

/** Whether every condition on a variable stands in one operand of an `or`, so that the other operands leave the variable open. */
function isOfOneOperand(condition: Condition, variable: number): boolean {
  if (!('operands' in condition)) return false;
  const holders = condition.operands.filter((operand) => variablesOf(operand).has(variable));
  const [only] = holders;
  if (only === undefined || holders.length > 1) return false;
  return condition.op === 'or' || isOfOneOperand(only, variable);
}

/** How many links, comparisons and memberships mention a variable. */
function mentions(condition: Condition, variable: number): number {
  return leavesOf(condition).filter((leaf) => variablesOf(leaf).has(variable)).length;
}

/** How many outermost negations mention a variable, and one more if something else does. */
function negationsWith(condition: Condition, variable: number): number {
  if (!variablesOf(condition).has(variable)) return 0;
  if (condition.op === 'not') return 1;
  if (!('operands' in condition)) return 2;
  return condition.operands.reduce((sum, operand) => sum + negationsWith(operand, variable), 0);
}

/** The variables that conditions join, a set for each part that hangs together; ≠ joins nothing. */
export function joinedVariables(condition: Condition): ReadonlySet<number>[] {
  const parts: Set<number>[] = [];
  const join = (joined: ReadonlySet<number>): void => {
    const all = new Set(joined);
    for (let at = parts.length - 1; at >= 0; at -= 1) {
      const part = parts[at]!;
      if (![...part].some((variable) => joined.has(variable))) continue;
      for (const variable of part) all.add(variable);
      parts.splice(at, 1);
    }
    parts.push(all);
  };
  const visit = (node: Condition): void => {
    if (node.op === 'and') node.operands.forEach(visit);
    else if (node.op !== 'not' || node.operand.op !== 'same') join(variablesOf(node));
  };
  visit(condition);
  return parts.filter((part) => part.size > 0);
}

function checkConnected({ variables, where }: Pattern, path: string): void {
  const [one, two] = joinedVariables(where).map((part) => variables[Math.min(...part)]!);
  if (one === undefined || two === undefined) return;
  throw problem(
    `pattern: expected conditions that join all variables, got ?${one} and ?${two} without a connection`,
    path,
    `Its answers would be all pairs. Add a condition with both, or ask two questions.`,
  );
}

function problem(message: string, path: string, hint: string): FuzzError {
  return new FuzzError('query', message, { path, hint });
}
