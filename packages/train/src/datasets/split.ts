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
  const units = unitsOf(triples, entityCount);
  const quotas = {
    test: Math.round(units.length * options.test),
    valid: Math.round(units.length * options.valid),
  };

  const entityUses = new Int32Array(entityCount);
  const relationUses = new Map<number, number>();
  const count = (triple: number, change: number): void => {
    entityUses[triples[triple]!]! += change;
    entityUses[triples[triple + 2]!]! += change;
    const relation = triples[triple + 1]!;
    relationUses.set(relation, (relationUses.get(relation) ?? 0) + change);
  };
  for (let triple = 0; triple < triples.length; triple += 3) count(triple, 1);
  const leavesNone = (triple: number): boolean =>
    entityUses[triples[triple]!] === 0 ||
    entityUses[triples[triple + 2]!] === 0 ||
    relationUses.get(triples[triple + 1]!) === 0;

  const held: { test: number[]; valid: number[] } = { test: [], valid: [] };
  let part: 'test' | 'valid' = 'test';
  let taken = 0;
  for (const unit of shuffled(units, random)) {
    if (part === 'test' && taken === quotas.test) {
      part = 'valid';
      taken = 0;
    }
    if (taken === quotas[part]) break;
    for (const triple of unit) count(triple, -1);
    if (unit.some(leavesNone)) {
      for (const triple of unit) count(triple, 1);
      continue;
    }
    held[part].push(...unit);
    taken++;
  }

  const out = new Set([...held.test, ...held.valid]);
  const kept: number[] = [];
  for (let triple = 0; triple < triples.length; triple += 3) if (!out.has(triple)) kept.push(triple);
  return {
    train: gather(triples, kept),
    valid: gather(triples, held.valid.sort(ascending)),
    test: gather(triples, held.test.sort(ascending)),
  };
}

/** Where the triples of each pair of entities start in the flat array; pairs in order of first appearance. */
function unitsOf(triples: Int32Array, entityCount: number): number[][] {
  const units = new Map<number, number[]>();
  for (let triple = 0; triple < triples.length; triple += 3) {
    const [head, tail] = [triples[triple]!, triples[triple + 2]!];
    // Exact in a float64: entity ids are 31 bits, and no graph in memory has 2^26 of them.
    const pair = Math.min(head, tail) * entityCount + Math.max(head, tail);
    const unit = units.get(pair);
    if (unit === undefined) units.set(pair, [triple]);
    else unit.push(triple);
  }
  return [...units.values()];
}

/** Fisher and Yates. */
function shuffled<T>(items: readonly T[], random: Random): T[] {
  const result = [...items];
  for (let i = result.length - 1; i > 0; i--) {
    const j = random.below(i + 1);
    [result[i], result[j]] = [result[j]!, result[i]!];
  }
  return result;
}

function gather(triples: Int32Array, starts: readonly number[]): Int32Array {
  const part = new Int32Array(starts.length * 3);
  starts.forEach((start, i) => {
    part.set(triples.subarray(start, start + 3), i * 3);
  });
  return part;
}

function ascending(a: number, b: number): number {
  return a - b;
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
