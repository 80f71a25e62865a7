import { EntitySet } from '../kg/entity-set.ts';

/**
 * A set of entities that is used again and again: its bits, and next to them a list of its members while there are few.
 *
 * While both sets of an operation have their lists it costs what these hold, and not a word for every 32 entities. The list ends
 * where it would be longer than the words.
 */
export class ScratchSet {
  /** The same members. */
  readonly set: EntitySet;
  /** The members in the order in which they were added: the first `#count`. */
  readonly #list: Int32Array;
  /** How many are listed; -1 where there were too many for the list. */
  #count = 0;

  constructor(universe: number) {
    this.set = new EntitySet(universe);
    this.#list = new Int32Array(universe >>> 5);
  }

  get size(): number {
    return this.#count >= 0 ? this.#count : this.set.size;
  }

  /** The members in the order in which they were added, a view until the next change; undefined where they are many. */
  get listed(): Int32Array | undefined {
    return this.#count >= 0 ? this.#list.subarray(0, this.#count) : undefined;
  }

  clear(): this {
    const { words } = this.set;
    if (this.#count < 0) words.fill(0);
    else for (let i = 0; i < this.#count; i++) words[this.#list[i]! >>> 5] = 0;
    this.#count = 0;
    return this;
  }

  /** Adds `ids[from … to)`, all of them in the universe. */
  addAll(ids: Int32Array, from: number, to: number): this {
    const { words } = this.set;
    const list = this.#list;
    let at = from;
    let count = this.#count;
    for (; at < to && count >= 0; at++) {
      const id = ids[at]!;
      const bit = 1 << (id & 31);
      if ((words[id >>> 5]! & bit) !== 0) continue;
      words[id >>> 5]! |= bit;
      if (count < list.length) list[count++] = id;
      else count = -1;
    }
    for (; at < to; at++) {
      const id = ids[at]!;
      words[id >>> 5]! |= 1 << (id & 31);
    }
    this.#count = count;
    return this;
  }

  unionWith(other: ScratchSet): this {
    const theirs = other.listed;
    if (theirs !== undefined) return this.addAll(theirs, 0, theirs.length);
    this.set.unionWith(other.set);
    this.#count = -1;
    return this;
  }

  intersectWith(other: ScratchSet): this {
    const { words } = this.set;
    if (this.#count >= 0) return this.#keep(other.set.words, true);
    const theirs = other.listed;
    if (theirs === undefined) {
      this.set.intersectWith(other.set);
      return this;
    }
    const both = theirs.filter((id) => (words[id >>> 5]! & (1 << (id & 31))) !== 0);
    return this.clear().addAll(both, 0, both.length);
  }

  subtract(other: ScratchSet): this {
    const { words } = this.set;
    if (this.#count >= 0) return this.#keep(other.set.words, false);
    const theirs = other.listed;
    if (theirs === undefined) this.set.subtract(other.set);
    else for (const id of theirs) words[id >>> 5]! &= ~(1 << (id & 31));
    return this;
  }

  complement(): this {
    this.set.complement();
    this.#count = -1;
    return this;
  }

  /** Of the listed members those whose bit among `others` is as said. */
  #keep(others: Uint32Array, isThere: boolean): this {
    const { words } = this.set;
    let kept = 0;
    for (let i = 0; i < this.#count; i++) {
      const id = this.#list[i]!;
      const bit = 1 << (id & 31);
      if (((others[id >>> 5]! & bit) !== 0) === isThere) this.#list[kept++] = id;
      else words[id >>> 5]! &= ~bit;
    }
    this.#count = kept;
    return this;
  }
}
