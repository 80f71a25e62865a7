import { describeValue, expectOptions, FuzzError, type Random } from '@fuzzqe/core';
import { bitsOf, partBits } from '../triples/part-bits.ts';

/** What to hold out, and by which numbers. */
export interface SplitOptions {
  /** How many entities the triples name; ids are below it. */
  readonly entityCount: number;
  /** The share of the units to hold out for validation, in [0, 1). */
  readonly valid: number;
  /** The share of the units to hold out for the test, in [0, 1); the two sum to less than 1. */
  readonly test: number;
  readonly random: Random;
}

/** Triples in three parts; each keeps the order in which its triples were given. */
export interface SplitTriples {
  readonly train: Int32Array;
  readonly valid: Int32Array;
  readonly test: Int32Array;
}

/**
 * Holds out a share of a graph's facts.
 *
 * All facts between the same two entities are one unit and stay together: a held-out fact is never given away by
 * its mirror, whether the mirror has the same relation (a border), another one (parent and child), or is a repetition.
 * Every entity and every relation keeps a training fact. Where that rule leaves too few units to hold out, the test
 * part is filled first.
 *
 * Shapes: triples [3 × n], flat h, r, t.
 * Source: the rule on entity pairs is that of FB15k-237 (Toutanova and Chen, 2015).
 *
 * @throws FuzzError `range`: shares that are negative or sum to 1 or more. `data`: what is no triples, or names another entity.
 * @example
 * const random = createRandom('split', 1);
 * const { train, valid, test } = splitTriples(triples, { entityCount: 100, valid: 0.1, test: 0.1, random });
 */
export function splitTriples(triples: Int32Array, options: SplitOptions): SplitTriples {
  expectOptions('splitTriples', options, ['entityCount', 'valid', 'test', 'random']);
  const { entityCount, random } = options;
  checkShares(options);
  checkTriples(triples, entityCount);
  const units = unitsOf(triples);
  const quotas = {
    test: Math.round(units.count * options.test),
    valid: Math.round(units.count * options.valid),
  };

  const entityUses = new Int32Array(entityCount);
  const relationUses: number[] = [];
  const count = (fact: number, change: number): void => {
    entityUses[triples[3 * fact]!]! += change;
    entityUses[triples[3 * fact + 2]!]! += change;
    const relation = triples[3 * fact + 1]!;
    relationUses[relation] = (relationUses[relation] ?? 0) + change;
  };
  for (let fact = 0; fact < triples.length / 3; fact++) count(fact, 1);
  const leavesNone = (fact: number): boolean =>
    entityUses[triples[3 * fact]!] === 0 ||
    entityUses[triples[3 * fact + 2]!] === 0 ||
    relationUses[triples[3 * fact + 1]!] === 0;

  const parts = new Uint8Array(triples.length / 3);
  let part: 'test' | 'valid' = 'test';
  let taken = 0;
  const order = shuffled(units.count, random);
  const read = createReadAhead(triples, units, entityUses);
  for (let at = 0; at < order.length; at++) {
    if (at % aheadUnits === 0) read(order.subarray(at, at + aheadUnits));
    const unit = order[at]!;
    if (part === 'test' && taken === quotas.test) {
      part = 'valid';
      taken = 0;
    }
    if (taken === quotas[part]) break;
    for (let fact = units.first[unit]!; fact >= 0; fact = units.next[fact]!) count(fact, -1);
    let isLost = false;
    for (let fact = units.first[unit]!; fact >= 0; fact = units.next[fact]!) isLost ||= leavesNone(fact);
    for (let fact = units.first[unit]!; fact >= 0; fact = units.next[fact]!) {
      if (isLost) count(fact, 1);
      else parts[fact] = partCodes[part];
    }
    if (!isLost) taken++;
  }

  return {
    train: gather(triples, parts, partCodes.train),
    valid: gather(triples, parts, partCodes.valid),
    test: gather(triples, parts, partCodes.test),
  };
}

const partCodes = { train: 0, valid: 1, test: 2 } as const;

/** The facts of each pair of entities as chains, in arrays: an object a pair would take gigabytes for a large graph. */
interface Units {
  readonly count: number;
  /** The first fact of each unit; units in order of first appearance. */
  readonly first: Int32Array;
  /** The next fact of the same unit, or -1. */
  readonly next: Int32Array;
}

/** Facts go to parts by a hash of their pair, each of which is gone through with a table of its own that caches hold. */
function unitsOf(triples: Int32Array): Units {
  const factCount = triples.length / 3;
  const next = new Int32Array(factCount).fill(-1);
  const isLater = new Uint8Array(factCount);
  let later = 0;
  const parts = partsByPair(triples);
  const largest = parts.reduce((most, { facts }) => Math.max(most, facts.length), 0);
  // One table for all parts in turn: tables that come and go make V8 collect its heap, with the names of a large graph.
  // Open addressing, at most half full: the unit's first fact by its place in the part + 1, or 0 for a free slot.
  const slots = new Int32Array(2 ** bitsOf(largest * 2 + 2));
  const mask = slots.length - 1;
  const last = new Int32Array(largest);
  for (const { facts, lows, highs } of parts) {
    slots.fill(0);
    for (let at = 0; at < facts.length; at++) {
      const [low, high] = [lows[at]!, highs[at]!];
      let slot = hashPair(low, high) & mask;
      while (slots[slot] !== 0) {
        const known = slots[slot]! - 1;
        if (lows[known] === low && highs[known] === high) break;
        slot = (slot + 1) & mask;
      }
      const first = slots[slot]! - 1;
      if (first < 0) {
        slots[slot] = at + 1;
        last[at] = at;
        continue;
      }
      next[facts[last[first]!]!] = facts[at]!;
      last[first] = at;
      isLater[facts[at]!] = 1;
      later++;
    }
  }
  const first = new Int32Array(factCount - later);
  let count = 0;
  for (let fact = 0; fact < factCount; fact++) if (isLater[fact] === 0) first[count++] = fact;
  return { count, first, next };
}

/** Facts in ascending order, and the lower and the higher entity of each. */
interface FactPart {
  readonly facts: Int32Array;
  readonly lows: Int32Array;
  readonly highs: Int32Array;
}

/** The facts in parts, in which all facts of a pair of entities are together; 12 bytes a fact while they are used. */
function partsByPair(triples: Int32Array): readonly FactPart[] {
  const factCount = triples.length / 3;
  const bits = partBits(factCount);
  // The lowest bits number the slots of a part's table.
  const partOf = (low: number, high: number): number =>
    bits === 0 ? 0 : hashPair(low, high) >>> (32 - bits);
  const offsets = new Int32Array(2 ** bits + 1);
  for (let i = 0; i < triples.length; i += 3)
    offsets[partOf(Math.min(triples[i]!, triples[i + 2]!), Math.max(triples[i]!, triples[i + 2]!)) + 1]!++;
  for (let part = 1; part < offsets.length; part++) offsets[part]! += offsets[part - 1]!;
  const facts = new Int32Array(factCount);
  const lows = new Int32Array(factCount);
  const highs = new Int32Array(factCount);
  const next = offsets.slice();
  for (let fact = 0; fact < factCount; fact++) {
    const low = Math.min(triples[3 * fact]!, triples[3 * fact + 2]!);
    const high = Math.max(triples[3 * fact]!, triples[3 * fact + 2]!);
    const at = next[partOf(low, high)]!++;
    facts[at] = fact;
    lows[at] = low;
    highs[at] = high;
  }
  return Array.from({ length: offsets.length - 1 }, (_, part) => {
    const range = [offsets[part]!, offsets[part + 1]!] as const;
    return {
      facts: facts.subarray(...range),
      lows: lows.subarray(...range),
      highs: highs.subarray(...range),
    };
  });
}

function hashPair(one: number, other: number): number {
  const mixed = Math.imul(one, 0x9e3779b1) ^ Math.imul(other, 0x85ebca6b);
  const spread = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d);
  return spread ^ (spread >>> 13);
}

/** How many units are read ahead: what is read of them fits into a processor's own caches. */
const aheadUnits = 256;

/**
 * Reads what the units of a few places of the shuffled order will be looked up by, first of all of them, then of all of them:
 * reads all over large tables that do not depend on one another are waited for together, and found in a cache later.
 */
function createReadAhead(
  triples: Int32Array,
  { first, next }: Units,
  entityUses: Int32Array,
): (units: Int32Array) => void {
  const heads = new Int32Array(aheadUnits);
  const tails = new Int32Array(aheadUnits);
  const others = new Int32Array(aheadUnits);
  return (units) => {
    for (let i = 0; i < units.length; i++) heads[i] = first[units[i]!]!;
    for (let i = 0; i < units.length; i++) {
      const fact = heads[i]!;
      heads[i] = triples[3 * fact]!;
      tails[i] = triples[3 * fact + 2]!;
      others[i] = next[fact]!;
    }
    for (let i = 0; i < units.length; i++) {
      heads[i] = entityUses[heads[i]!]!;
      tails[i] = entityUses[tails[i]!]!;
    }
  };
}

/** The numbers below `count`, shuffled as by Fisher and Yates; the places to swap with are read ahead as units are. */
function shuffled(count: number, random: Random): Int32Array {
  const result = new Int32Array(count);
  for (let i = 0; i < count; i++) result[i] = i;
  const places = new Int32Array(aheadUnits);
  const there = new Int32Array(aheadUnits);
  for (let i = count - 1; i > 0; ) {
    const some = Math.min(aheadUnits, i);
    for (let k = 0; k < some; k++) places[k] = random.below(i - k + 1);
    for (let k = 0; k < some; k++) there[k] = result[places[k]!]!;
    for (let k = 0; k < some; k++, i--) {
      const j = places[k]!;
      const value = result[i]!;
      result[i] = result[j]!;
      result[j] = value;
    }
  }
  return result;
}

/** The triples of one part, in their order. */
export function gather(triples: Int32Array, parts: Uint8Array, wanted: number): Int32Array {
  let length = 0;
  for (const part of parts) if (part === wanted) length += 3;
  const gathered = new Int32Array(length);
  let to = 0;
  for (let fact = 0; fact < parts.length; fact++) {
    if (parts[fact] !== wanted) continue;
    for (let i = 3 * fact; i < 3 * fact + 3; i++) gathered[to++] = triples[i]!;
  }
  return gathered;
}

function checkTriples(triples: unknown, entityCount: number): void {
  const hint = 'Three whole numbers a fact: head, relation, tail.';
  if (!(triples instanceof Int32Array))
    throw new FuzzError('data', `triples: expected an Int32Array, got ${describeValue(triples)}`, { hint });
  if (triples.length % 3 !== 0)
    throw new FuzzError('data', `triples: expected a length that 3 divides, got ${triples.length}`, { hint });
  for (let at = 0; at < triples.length; at += 1) {
    const id = triples[at]!;
    if (id >= 0 && (at % 3 === 1 || id < entityCount)) continue;
    const what =
      at % 3 === 1
        ? 'relation: expected an id of at least 0'
        : `entity: expected an id in [0, ${entityCount})`;
    throw new FuzzError('data', `${what}, got ${id}`, { path: `triples[${Math.floor(at / 3)}]`, hint });
  }
}

function checkShares({ valid, test }: SplitOptions): void {
  if (valid >= 0 && test >= 0 && valid + test < 1) return;
  throw new FuzzError(
    'range',
    `split: expected shares >= 0 that sum to less than 1, got valid ${valid} and test ${test}`,
    {
      hint: 'Hold out 0.1 and 0.1, say.',
    },
  );
}
