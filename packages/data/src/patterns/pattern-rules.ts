import { nameOfTerm, type PatternAtom } from './pattern-type.ts';

/** One text for an atom and its inverse. */
function named(atom: PatternAtom, rename: ReadonlyMap<string, string> = new Map()): string {
  const [from, to] = [atom.from, atom.to].map((term) => rename.get(nameOfTerm(term)) ?? nameOfTerm(term));
  const forward = atom.relation - (atom.relation % 2);
  const [head, tail] = forward === atom.relation ? [from, to] : [to, from];
  return `${atom.negated ? '!' : ''}${head} ${forward} ${tail}`;
}

/** The variables that are no answer. */
const othersOf = (variables: number): string[] =>
  Array.from({ length: variables - 1 }, (_, i) => `?${i + 1}`);

/** One name for all patterns that differ in the order of atoms, the direction of links and the names of variables alone. */
export function patternName(atoms: readonly PatternAtom[], variables: number): string {
  const others = othersOf(variables);
  const names = orders(others).map((order) => {
    const rename = new Map(others.map((other, i) => [other, order[i]!]));
    return atoms
      .map((atom) => named(atom, rename))
      .sort()
      .join(', ');
  });
  return names.sort()[0]!;
}

/**
 * Whether some link of a pattern follows from its other links, or contradicts a negated link.
 *
 * A link follows if other values of the variables that are no answer make every link equal to another link.
 * In `?x : r(a, ?x), r(?y, ?x)` the second link says nothing: ?y may be a.
 */
export function isRedundant(atoms: readonly PatternAtom[], variables: number): boolean {
  const all = new Set(atoms.map((atom) => named(atom)));
  const isContradicted = atoms.some((atom) => atom.negated && all.has(named({ ...atom, negated: false })));
  if (all.size < atoms.length || isContradicted) return true;
  const others = othersOf(variables);
  const terms = [...new Set(atoms.flatMap(({ from, to }) => [nameOfTerm(from), nameOfTerm(to)]))];
  const maps = others.reduce<string[][]>(
    (made, _) => made.flatMap((values) => terms.map((term) => [...values, term])),
    [[]],
  );
  return maps.some((values) => {
    const rename = new Map(others.map((other, i) => [other, values[i]!]));
    const mapped = new Set(atoms.map((atom) => named(atom, rename)));
    return mapped.size < all.size && [...mapped].every((atom) => all.has(atom));
  });
}

/** Whether a link into a variable that is no answer is followed by its inverse, which leads back whatever the facts. */
export function returns(atoms: readonly PatternAtom[]): boolean {
  const links = atoms.filter(({ negated }) => !negated);
  return links.some(({ relation, to }) =>
    links.some(
      (next) =>
        (next.relation ^ 1) === relation &&
        nameOfTerm(next.from) === nameOfTerm(to) &&
        'variable' in to &&
        to.variable !== 0,
    ),
  );
}

/** All orders of some items. */
function orders(items: readonly string[]): string[][] {
  if (items.length === 0) return [[]];
  return items.flatMap((item, i) => orders(items.toSpliced(i, 1)).map((rest) => [item, ...rest]));
}
