import { type Condition, variablesOf, withTerms } from '@fuzzqe/core/query';

/**
 * The same condition, in which every branch of a UNION has variables of its own, since every branch has solutions of its own.
 *
 * Branches have in common what something outside of the UNION mentions.
 *
 * @param outside the numbers of the variables that more than this condition mentions.
 * @param fresh gives the number of a new variable.
 */
export function branchesApart(
  condition: Condition,
  outside: ReadonlySet<number>,
  fresh: () => number,
): Condition {
  if (condition.op === 'not')
    return { ...condition, operand: branchesApart(condition.operand, outside, fresh) };
  if (!('operands' in condition)) return condition;
  const { op, operands } = condition;
  const parts =
    op === 'and' ? operands : operands.map((operand, i) => apart(operand, i, operands, outside, fresh));
  return {
    op,
    operands: parts.map((part, i) => {
      const others = parts.filter((_, j) => j !== i).flatMap((each) => [...variablesOf(each)]);
      return branchesApart(part, new Set([...outside, ...others]), fresh);
    }),
  };
}

function apart(
  operand: Condition,
  at: number,
  operands: readonly Condition[],
  outside: ReadonlySet<number>,
  fresh: () => number,
): Condition {
  // The first branch keeps its variables.
  const before = new Set(operands.slice(0, at).flatMap((each) => [...variablesOf(each)]));
  const own = new Map<number, number>();
  for (const variable of variablesOf(operand))
    if (before.has(variable) && !outside.has(variable)) own.set(variable, fresh());
  if (own.size === 0) return operand;
  return withTerms(operand, (term) =>
    'variable' in term ? { variable: own.get(term.variable) ?? term.variable } : term,
  );
}
