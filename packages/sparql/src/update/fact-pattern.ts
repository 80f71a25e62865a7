/** Either end of a pattern, or its relation: an id of the graph, or the slot of a variable. */
export type Place = { readonly id: number } | { readonly slot: number };

/** A triple of ids and variables; the relation is one of the data, without its direction. */
export interface FactPattern {
  readonly head: Place;
  readonly relation: Place;
  readonly tail: Place;
}

/** The ids of variables by their slots; -1 for a variable without a value. */
export type Binding = Int32Array;

/** What a filter says of the variables in `slots`. */
export type Condition = { readonly slots: ReadonlySet<number> } & (
  | { readonly holds: (binding: Binding) => boolean }
  | { readonly exists: PatternGroup; readonly isNegated: boolean }
);

/** Patterns that facts have to match together, in the order in which they are matched. */
export interface PatternGroup {
  /** Conditions whose variables have values before anything is matched. */
  readonly before: readonly Condition[];
  readonly steps: readonly { readonly pattern: FactPattern; readonly conditions: readonly Condition[] }[];
}

/** One operation of an update: facts that go, then facts that come, for each solution of `where`. */
export interface UpdateOperation {
  readonly remove: readonly FactPattern[];
  readonly add: readonly FactPattern[];
  /** Undefined: the facts are given. */
  readonly where: PatternGroup | undefined;
  /** How many variables there are. */
  readonly slots: number;
}

/** The slots of the variables in a pattern. */
export function slotsOf({ head, relation, tail }: FactPattern): readonly number[] {
  return [head, relation, tail].flatMap((place) => ('slot' in place ? [place.slot] : []));
}

/**
 * Puts patterns into an order in which each has as many values as it can, and each condition where its variables have values.
 *
 * @param given slots that have values before.
 */
export function orderGroup(
  patterns: readonly FactPattern[],
  conditions: readonly Condition[],
  given: ReadonlySet<number>,
): PatternGroup {
  const bound = new Set(given);
  const left = new Set(patterns);
  const open = new Set(conditions);
  const ready = (): readonly Condition[] => {
    const now = [...open].filter(({ slots }) => [...slots].every((slot) => bound.has(slot)));
    for (const each of now) open.delete(each);
    return now;
  };
  const before = ready();
  const steps: PatternGroup['steps'][number][] = [];
  while (left.size > 0) {
    const [pattern] = [...left].sort((a, b) => freedom(a, bound) - freedom(b, bound));
    left.delete(pattern!);
    for (const slot of slotsOf(pattern!)) bound.add(slot);
    steps.push({ pattern: pattern!, conditions: ready() });
  }
  return { before, steps };
}

/** How many facts a pattern may match, as a rank: ends narrow more than a relation does. */
function freedom({ head, relation, tail }: FactPattern, bound: ReadonlySet<number>): number {
  const isOpen = (place: Place): boolean => 'slot' in place && !bound.has(place.slot);
  return 2 * (Number(isOpen(head)) + Number(isOpen(tail))) + Number(isOpen(relation));
}
