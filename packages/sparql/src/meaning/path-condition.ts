import { type Condition, entity, joined, type Term } from '@fuzzqe/core/query';
import { follow, inversePath, type Path } from './read-path.ts';
import type { Scope } from './scope.ts';

/** That a path leads from one end to the other; each place on the way that no tree can say is a variable of its own. */
export function pathCondition(from: Term, path: Path, to: Term, scope: Scope): Condition {
  const [first] = path;
  const isLink = path.length === 1 && (typeof first === 'number' || 'repeat' in first!);
  if ('variable' in from && 'entity' in to && !isLink)
    return pathCondition(to, inversePath(path), from, scope);
  const query = 'entity' in from && !isLink ? follow(entity(from.entity), path) : undefined;
  if (query !== undefined) {
    if ('variable' in to) return { op: 'member', variable: to.variable, query };
    // What the path leads to, read from its beginning as every path.
    const variable = scope.fresh();
    const isThere: Condition = { op: 'same', left: { variable }, right: to };
    return { op: 'and', operands: [{ op: 'member', variable, query }, isThere] };
  }
  let place = from;
  const operands = path.map((step, i): Condition => {
    const next: Term = i === path.length - 1 ? to : { variable: scope.fresh() };
    const start = place;
    place = next;
    if (typeof step === 'number') return { op: 'link', relation: step, from: start, to: next };
    if ('repeat' in step) return { op: 'link', ...step, from: start, to: next };
    return { op: 'or', operands: step.either.map((branch) => pathCondition(start, branch, next, scope)) };
  });
  return joined('and', operands);
}
