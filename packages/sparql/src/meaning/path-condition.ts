import { type Condition, entity, type Term } from '@fuzzqe/core/query';
import { follow, inversePath, type Path } from './read-path.ts';
import type { Scope } from './scope.ts';

/** What a triple pattern has at either end: a variable by its number, or an entity. */
export type End = Term;

/** That a path leads from one end to the other; between two variables, each place on the way is a variable of its own. */
export function pathCondition(from: End, path: Path, to: End, scope: Scope): Condition {
  const [only] = path;
  if (path.length === 1 && typeof only === 'number') return { op: 'link', relation: only, from, to };
  if ('entity' in from) {
    const query = follow(entity(from.entity), path);
    if ('variable' in to) return { op: 'member', variable: to.variable, query };
    const variable = scope.fresh();
    const isThere: Condition = { op: 'same', left: { variable }, right: to };
    return { op: 'and', operands: [{ op: 'member', variable, query }, isThere] };
  }
  if ('entity' in to) return pathCondition(to, inversePath(path), from, scope);
  let place: End = from;
  const operands = path.map((step, i): Condition => {
    const next: End = i === path.length - 1 ? to : { variable: scope.fresh() };
    const start = place;
    place = next;
    if (typeof step === 'number') return { op: 'link', relation: step, from: start, to: next };
    return { op: 'or', operands: step.either.map((branch) => pathCondition(start, branch, next, scope)) };
  });
  return operands.length === 1 ? operands[0]! : { op: 'and', operands };
}
