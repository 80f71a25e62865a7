import { classNames, PickleClass, PickleDict, PickleSet, type PickleValue } from './pickle-value.ts';

/** `__builtin__` is what Python 2, and protocol 2 of Python 3, call `builtins`. */
const admitted: ReadonlyMap<string, PickleClass> = new Map(
  classNames.flatMap((name) =>
    (name === 'defaultdict' ? ['collections'] : ['builtins', '__builtin__']).map(
      (module) => [`${module}.${name}`, new PickleClass(name)] as const,
    ),
  ),
);

/** The class of that full name, or undefined where it is not admitted. */
export function findClass(fullName: string): PickleClass | undefined {
  return admitted.get(fullName);
}

/**
 * What a call of a class makes: an empty dict, or a list, tuple, set or frozenset of what it is given.
 *
 * Undefined for any other call. `copied` is told how many items are copied.
 */
export function construct(
  callee: PickleValue,
  args: PickleValue,
  copied: (items: number) => void,
): PickleValue | undefined {
  if (!(callee instanceof PickleClass) || !Array.isArray(args)) return undefined;
  const given: readonly PickleValue[] = args;
  switch (callee.name) {
    case 'defaultdict':
      return given.length < 2 ? new PickleDict() : undefined;
    case 'dict':
      return given.length === 0 ? new PickleDict() : undefined;
    case 'set':
    case 'frozenset':
    case 'list':
    case 'tuple': {
      const items = itemsOf(given);
      if (items === undefined) return undefined;
      copied(items.length);
      const own = items.slice();
      return callee.name === 'set' || callee.name === 'frozenset' ? new PickleSet(own) : own;
    }
    default:
      return undefined;
  }
}

function itemsOf(args: readonly PickleValue[]): readonly PickleValue[] | undefined {
  const [items, ...rest] = args;
  if (items === undefined) return [];
  if (rest.length > 0) return undefined;
  if (items instanceof PickleSet) return items.items;
  return Array.isArray(items) ? items : undefined;
}
