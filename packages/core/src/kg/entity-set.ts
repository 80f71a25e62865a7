import { FuzzError } from '../errors.ts';
import { asEntityId, type EntityId } from './ids.ts';

/**
 * A mutable set of entities of a fixed universe, one bit an entity.
 *
 * Ranges: members are integers in [0, universe); iteration is in ascending order.
 * The set operations change this set and return it, so that calls can be chained.
 *
 * @throws FuzzError `range`: a member outside the universe, or two sets of different universes.
 */
export class EntitySet implements Iterable<EntityId> {
  /** How many entities there are to choose from. */
  readonly universe: number;
  /** The bits: entity e is bit `e & 31` of word `e >>> 5`; bits past the universe stay 0. For inner loops. */
  readonly words: Uint32Array;

  constructor(universe: number) {
    if (!Number.isInteger(universe) || universe < 0) {
      throw new FuzzError('range', `universe of an entity set: expected an integer >= 0, got ${universe}`, {
        hint: "Give the graph's entityCount.",
      });
    }
    this.universe = universe;
    this.words = new Uint32Array((universe + 31) >>> 5);
  }

  /** The set of the given entities. */
  static from(universe: number, ids: Iterable<number>): EntitySet {
    const set = new EntitySet(universe);
    for (const id of ids) set.add(id);
    return set;
  }

  /** How many members there are; counts the bits, so it takes O(universe / 32). */
  get size(): number {
    let count = 0;
    const { words } = this;
    for (let i = 0; i < words.length; i++) count += popcount(words[i]!);
    return count;
  }

  /** Whether there is no member. */
  get isEmpty(): boolean {
    for (const word of this.words) if (word !== 0) return false;
    return true;
  }

  add(id: number): this {
    if (!(id >= 0 && id < this.universe && Number.isInteger(id))) {
      throw new FuzzError('range', `entity id: expected an integer in [0, ${this.universe}), got ${id}`, {
        hint: 'Check that the id belongs to the graph that this set was made for.',
      });
    }
    this.words[id >>> 5]! |= 1 << (id & 31);
    return this;
  }

  has(id: number): boolean {
    // A number that is no index would wrap around in the shifts below.
    if (!(id >= 0 && id < this.universe)) return false;
    return (this.words[id >>> 5]! & (1 << (id & 31))) !== 0;
  }

  delete(id: number): this {
    if (this.has(id)) this.words[id >>> 5]! &= ~(1 << (id & 31));
    return this;
  }

  clear(): this {
    this.words.fill(0);
    return this;
  }

  copyFrom(other: EntitySet): this {
    this.#mustMatch(other);
    this.words.set(other.words);
    return this;
  }

  /** A new set with the same members. */
  clone(): EntitySet {
    return new EntitySet(this.universe).copyFrom(this);
  }

  unionWith(other: EntitySet): this {
    this.#mustMatch(other);
    const mine = this.words;
    const theirs = other.words;
    for (let i = 0; i < mine.length; i++) mine[i]! |= theirs[i]!;
    return this;
  }

  intersectWith(other: EntitySet): this {
    this.#mustMatch(other);
    const mine = this.words;
    const theirs = other.words;
    for (let i = 0; i < mine.length; i++) mine[i]! &= theirs[i]!;
    return this;
  }

  /** Takes the other set's members out of this one. */
  subtract(other: EntitySet): this {
    this.#mustMatch(other);
    const mine = this.words;
    const theirs = other.words;
    for (let i = 0; i < mine.length; i++) mine[i]! &= ~theirs[i]!;
    return this;
  }

  /** Turns this set into its complement in the universe. */
  complement(): this {
    const words = this.words;
    for (let i = 0; i < words.length; i++) words[i] = ~words[i]!;
    const used = this.universe & 31;
    if (used !== 0) words[words.length - 1]! &= (1 << used) - 1;
    return this;
  }

  equals(other: EntitySet): boolean {
    return this.universe === other.universe && this.words.every((word, i) => word === other.words[i]);
  }

  forEach(visit: (id: EntityId) => void): void {
    const words = this.words;
    for (let i = 0; i < words.length; i++) {
      for (let word = words[i]!; word !== 0; word &= word - 1) {
        visit(asEntityId(i * 32 + lowestBit(word)));
      }
    }
  }

  *[Symbol.iterator](): IterableIterator<EntityId> {
    for (let i = 0; i < this.words.length; i++) {
      for (let word = this.words[i]!; word !== 0; word &= word - 1) {
        yield asEntityId(i * 32 + lowestBit(word));
      }
    }
  }

  /** The members in ascending order. */
  toArray(): Int32Array {
    const ids = new Int32Array(this.size);
    let next = 0;
    this.forEach((id) => {
      ids[next++] = id;
    });
    return ids;
  }

  #mustMatch(other: EntitySet): void {
    if (other.universe === this.universe) return;
    throw new FuzzError(
      'range',
      `entity sets of different universes: expected ${this.universe}, got ${other.universe}`,
      { hint: 'Both sets must come from graphs with the same entities.' },
    );
  }
}

/** The number of 1 bits, by adding neighbours in ever wider fields. */
function popcount(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const nibbles = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((nibbles + (nibbles >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** The position of the lowest 1 bit of a word that is not 0. */
function lowestBit(word: number): number {
  return 31 - Math.clz32(word & -word);
}
