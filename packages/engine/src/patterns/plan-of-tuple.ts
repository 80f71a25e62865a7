import { checkId, type EntityId, FuzzError } from '@fuzzqe/core';
import { entity, type Pattern, type PatternPlan, type QueryBounds } from '@fuzzqe/core/query';

/**
 * The plan of a pattern for one tuple of answers.
 *
 * Variables keep their order: by another order a predicted link may have another degree.
 *
 * @throws FuzzError `range`: not an entity for each answer variable.
 */
export function planOfTuple(
  { steps, answers }: PatternPlan,
  tuple: readonly EntityId[],
  pattern: Pattern,
  { entityCount }: Pick<QueryBounds, 'entityCount'>,
): PatternPlan {
  if (tuple.length !== answers.length) {
    const names = pattern.answers.map((variable) => `?${pattern.variables[variable]}`).join(', ');
    const hint =
      names === '' ? 'A question of yes or no has no tuples.' : `Give an entity for each of ${names}.`;
    throw new FuzzError('range', `tuple: expected ${answers.length} entities, got ${tuple.length}`, {
      path: '$.tuple',
      hint,
    });
  }
  const bound = [...steps];
  answers.forEach((step, i) => {
    const id = tuple[i]!;
    checkId('entity', id, entityCount, `$.tuple[${i}]`);
    const { set, ...rest } = bound[step]!;
    const only = entity(id);
    bound[step] = { ...rest, set: set === undefined ? only : { op: 'and', operands: [only, set] } };
  });
  return { steps: bound, answers };
}
