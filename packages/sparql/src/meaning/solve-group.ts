import { entity, type Query } from '@fuzzqe/core/query';
import {
  boundBy,
  type Constraint,
  type Element,
  type End,
  type Link,
  mentionedBy,
  type Reading,
  showVariable,
} from './element.ts';
import { follow, inversePath } from './read-path.ts';

/**
 * The query that a group asks of one variable: what all its elements say of it, as a tree whose root it is.
 *
 * `bounded`: whether the variable has its values from outside, as in a filter; then the group may consist of negations.
 *
 * @throws FuzzError `query`: elements that are not joined to the variable, or joined in a circle; negations alone.
 */
export function solveGroup(
  elements: readonly Element[],
  root: string,
  bounded: boolean,
  at: number,
  reading: Reading,
): Query {
  const { fail } = reading;
  const binders = new Map<string, number>();
  for (const element of elements)
    for (const variable of new Set(boundBy(element))) binders.set(variable, (binders.get(variable) ?? 0) + 1);
  const attached = attach(elements, root, bounded, binders, reading);
  const visited = new Set<string>();
  const used = new Set<Element>();

  const queryOf = (end: End, by: Link): Query => {
    if ('entity' in end) return entity(end.entity);
    if (visited.has(end.variable)) {
      const hint = 'Patterns have to make a tree: leave one out, or use two variables.';
      throw fail(by.at, `pattern: expected a tree, got a circle through ${showVariable(end.variable)}`, hint);
    }
    return solve(end.variable, by, false, by.at);
  };
  const solve = (variable: string, via: Link | undefined, isBounded: boolean, place: number): Query => {
    visited.add(variable);
    const operands: Query[] = [];
    let positive = isBounded;
    for (const element of attached.get(variable) ?? []) {
      if (element === via || used.has(element)) continue;
      used.add(element);
      if (element.kind === 'link') {
        positive = true;
        operands.push(linkQuery(element, variable, queryOf));
      } else {
        positive ||= element.binds.has(variable);
        operands.push(element.query(variable, isBounded));
      }
    }
    const shown = showVariable(variable);
    const [first, second, ...rest] = operands;
    if (first === undefined) {
      const hint = 'Every branch of the patterns has to end at an entity.';
      throw fail(place, `${shown}: expected a pattern that leads to an entity, got none`, hint);
    }
    if (!positive) {
      const hint = `Say what ${shown} is as well: what is not the one is nearly everything.`;
      throw fail(place, `${shown}: expected a pattern that gives it values, got filters alone`, hint);
    }
    return second === undefined ? first : { op: 'and', operands: [first, second, ...rest] };
  };

  const query = solve(root, undefined, bounded, at);
  const loose = elements.find((element) => !used.has(element));
  if (loose !== undefined) throw notJoined(loose, root, reading);
  return query;
}

/** The elements at each variable, in the order of the text: links at both ends, constraints at the one they are joined by. */
function attach(
  elements: readonly Element[],
  root: string,
  bounded: boolean,
  binders: ReadonlyMap<string, number>,
  reading: Reading,
): ReadonlyMap<string, readonly Element[]> {
  const attached = new Map<string, Element[]>();
  const put = (variable: string, element: Element): void => {
    const there = attached.get(variable);
    if (there === undefined) attached.set(variable, [element]);
    else there.push(element);
  };
  const before = new Set<string>(bounded ? [root] : []);
  for (const element of elements) {
    const variables =
      element.kind === 'link' ? boundBy(element) : [joinOf(element, root, binders, before, reading)];
    for (const variable of variables) put(variable, element);
    for (const variable of boundBy(element)) before.add(variable);
  }
  return attached;
}

/** The one variable that a constraint has in common with the rest of its group. */
function joinOf(
  element: Constraint,
  root: string,
  binders: ReadonlyMap<string, number>,
  before: ReadonlySet<string>,
  reading: Reading,
): string {
  const elsewhere = (variable: string): boolean =>
    variable === root || (binders.get(variable) ?? 0) > (element.binds.has(variable) ? 1 : 0);
  const [first, second] = [...mentionedBy(element)].filter(elsewhere);
  if (first === undefined) throw notJoined(element, root, reading);
  if (second !== undefined) {
    const shown = `${showVariable(first)} and ${showVariable(second)}`;
    const hint =
      'What stands in braces may have one variable in common with the rest: take them away, or say more inside.';
    throw reading.fail(element.at, `pattern: expected one variable that joins it, got ${shown}`, hint);
  }
  if (element.removes && !before.has(first)) {
    const hint = `Write MINUS after the patterns that give ${showVariable(first)} values: it removes from those alone.`;
    throw reading.fail(element.at, `MINUS: expected it after what it removes from`, hint);
  }
  return first;
}

function notJoined(element: Element, root: string, { fail }: Reading): Error {
  const ground = element.kind === 'link' && [...boundBy(element)].length === 0;
  const got = ground ? 'one of entities alone' : 'one of other variables';
  const hint = ground
    ? 'ASK asks whether it holds.'
    : 'All patterns have to make one tree: there is one answer variable.';
  return fail(element.at, `pattern: expected one that is joined to ${showVariable(root)}, got ${got}`, hint);
}

function linkQuery(link: Link, variable: string, queryOf: (end: End, by: Link) => Query): Query {
  const { from, to, steps } = link;
  const forward = 'variable' in to && to.variable === variable;
  const start = queryOf(forward ? from : to, link);
  return follow(start, forward ? steps : inversePath(steps));
}
