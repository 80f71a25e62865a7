import { FuzzError, type Random } from '@fuzzqe/core';

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
 * @throws FuzzError `range`: shares that are negative or sum to 1 or more.
 */
export function splitTriples(triples: Int32Array, options: SplitOptions): SplitTriples {
  const { entityCount, random } = options;
  checkShares(options);
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
  for (const unit of shuffled(units.count, random)) {
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

function unitsOf(triples: Int32Array): Units {
  const factCount = triples.length / 3;
  const first = new Int32Array(factCount);
  const last = new Int32Array(factCount);
  const next = new Int32Array(factCount).fill(-1);
  // Open addressing, at most half full: unit + 1, or 0 for a free slot.
  const slots = new Int32Array(2 ** Math.ceil(Math.log2(factCount * 2 + 2)));
  const mask = slots.length - 1;
  const low = (fact: number): number => Math.min(triples[3 * fact]!, triples[3 * fact + 2]!);
  const high = (fact: number): number => Math.max(triples[3 * fact]!, triples[3 * fact + 2]!);
  let count = 0;
  for (let fact = 0; fact < factCount; fact++) {
    const [one, other] = [low(fact), high(fact)];
    let slot = hashPair(one, other) & mask;
    while (slots[slot] !== 0) {
      const known = first[slots[slot]! - 1]!;
      if (low(known) === one && high(known) === other) break;
      slot = (slot + 1) & mask;
    }
    const unit = slots[slot]! - 1;
    if (unit < 0) {
      first[count] = fact;
      last[count] = fact;
      slots[slot] = ++count;
      continue;
    }
    next[last[unit]!] = fact;
    last[unit] = fact;
  }
  return { count, first, next };
}

function hashPair(one: number, other: number): number {
  const mixed = Math.imul(one, 0x9e3779b1) ^ Math.imul(other, 0x85ebca6b);
  const spread = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d);
  return spread ^ (spread >>> 13);
}

/** The numbers below `count`, shuffled as by Fisher and Yates. */
function shuffled(count: number, random: Random): Int32Array {
  const result = new Int32Array(count);
  for (let i = 0; i < count; i++) result[i] = i;
  for (let i = count - 1; i > 0; i--) {
    const j = random.below(i + 1);
    [result[i], result[j]] = [result[j]!, result[i]!];
  }
  return result;
}

function gather(triples: Int32Array, parts: Uint8Array, wanted: number): Int32Array {
  let length = 0;
  for (const part of parts) if (part === wanted) length += 3;
  const gathered = new Int32Array(length);
  let to = 0;
  parts.forEach((part, fact) => {
    if (part !== wanted) return;
    for (let i = 3 * fact; i < 3 * fact + 3; i++) gathered[to++] = triples[i]!;
  });
  return gathered;
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
