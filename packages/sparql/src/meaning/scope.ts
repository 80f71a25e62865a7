/** The variables that a part of a query may name, with their numbers in the pattern. */
export interface Scope {
  /** The names of the variables of the whole pattern, by their numbers; different variables may have one name. */
  readonly names: readonly string[];
  /** The number of a variable by its name in the text, `_:` before that of a blank node. */
  numberOf(name: string): number;
  /** The number of a variable that the text does not name. */
  fresh(): number;
  /** A scope in which these names alone mean what they mean here. */
  inner(shared: ReadonlySet<string>): Scope;
}

/** The scope of a whole query. */
export function createScope(): Scope {
  const names: string[] = [];
  const add = (name: string): number => names.push(name.replace('_:', '_')) - 1;
  const scopeOf = (known: (name: string) => number | undefined): Scope => {
    const own = new Map<string, number>();
    const numberOf = (name: string): number => {
      const number = known(name) ?? own.get(name) ?? add(name);
      own.set(name, number);
      return number;
    };
    return {
      names,
      numberOf,
      fresh: () => add('between'),
      inner: (shared) => scopeOf((name) => (shared.has(name) ? numberOf(name) : undefined)),
    };
  };
  return scopeOf(() => undefined);
}
