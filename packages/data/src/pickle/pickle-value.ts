/**
 * What a pickle of plain data holds; `plainTuple` is how to walk it.
 *
 * Tuples and lists are arrays. Dicts and sets keep their items in the order of the file: their keys may be tuples, which
 * a `Map` would tell apart by identity.
 */
export type PickleValue =
  | null
  | boolean
  | number
  | string
  | readonly PickleValue[]
  | PickleDict
  | PickleSet
  | PickleClass;

/** A dict or a defaultdict; key i has value i. */
export class PickleDict {
  readonly keys: PickleValue[] = [];
  readonly values: PickleValue[] = [];
}

/** A set or a frozenset. */
export class PickleSet {
  readonly items: PickleValue[];

  constructor(items: PickleValue[] = []) {
    this.items = items;
  }
}

/** The classes that a pickle may name: the plain containers and scalars, and what KGReasoning gathers answers in. */
export const classNames = [
  'dict',
  'list',
  'tuple',
  'set',
  'frozenset',
  'int',
  'float',
  'str',
  'bool',
  'defaultdict',
] as const;

/** A class by its name: what a defaultdict makes its values with. Never a JavaScript class. */
export class PickleClass {
  readonly name: (typeof classNames)[number];

  constructor(name: (typeof classNames)[number]) {
    this.name = name;
  }
}
