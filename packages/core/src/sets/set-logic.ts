import type { LogicName } from '../logic/logic.ts';
import type { Arrays } from './arrays.ts';

/**
 * ∧, ∨ and ¬ of fuzzy sets or of parts of them, degree by degree.
 *
 * Shapes: [n] → `into` [n], by default a new array; it may be one of the operands.
 */
export interface SetLogic {
  /** (5) */
  and(left: Float32Array, right: Float32Array, into?: Float32Array): Float32Array;
  /** (6) */
  or(left: Float32Array, right: Float32Array, into?: Float32Array): Float32Array;
  /** (7) `1 − a`. */
  not(set: Float32Array, into?: Float32Array): Float32Array;
}

/** ∧ or ∨ of one set or more, from the first on. Shapes: [n] each → [n], of one set that set itself. */
export function joinSets(
  logic: Pick<SetLogic, 'and' | 'or'>,
  operator: 'and' | 'or',
  [first, ...others]: readonly Float32Array[],
  arrays: Arrays,
): Float32Array {
  let joined = first!;
  const into = others.length === 0 ? undefined : arrays.take(joined.length);
  for (const set of others) joined = logic[operator](joined, set, into);
  return joined;
}

// A loop each: one loop that takes the operator as a function is several times slower once it has seen two of them, as are `map` and a
// run of a graph. Every step is rounded to single precision, so that degrees are those of the tensor programs of `logics`.
const { fround } = Math;

type Joins = Omit<SetLogic, 'not'>;

const product: Joins = {
  and(left, right, into = new Float32Array(left.length)) {
    for (let i = 0; i < left.length; i += 1) into[i] = left[i]! * right[i]!;
    return into;
  },
  or(left, right, into = new Float32Array(left.length)) {
    for (let i = 0; i < left.length; i += 1) into[i] = left[i]! + fround(right[i]! * fround(1 - left[i]!));
    return into;
  },
};

const godel: Joins = {
  and(left, right, into = new Float32Array(left.length)) {
    for (let i = 0; i < left.length; i += 1) into[i] = Math.min(left[i]!, right[i]!);
    return into;
  },
  or(left, right, into = new Float32Array(left.length)) {
    for (let i = 0; i < left.length; i += 1) into[i] = Math.max(left[i]!, right[i]!);
    return into;
  },
};

const lukasiewicz: Joins = {
  and(left, right, into = new Float32Array(left.length)) {
    for (let i = 0; i < left.length; i += 1) into[i] = Math.max(fround(left[i]! + right[i]!) - 1, 0);
    return into;
  },
  or(left, right, into = new Float32Array(left.length)) {
    for (let i = 0; i < left.length; i += 1) into[i] = Math.min(left[i]! + right[i]!, 1);
    return into;
  },
};

const joins: Readonly<Record<LogicName, Joins>> = { product, godel, lukasiewicz };

function complement(set: Float32Array, into: Float32Array = new Float32Array(set.length)): Float32Array {
  for (let i = 0; i < set.length; i += 1) into[i] = 1 - set[i]!;
  return into;
}

/**
 * A logic on fuzzy sets, which lie in memory degree by degree: as graphs its operators would cost a copy and a run each.
 *
 * Source: as `Logic`; ¬ is 1 − a in all of them.
 */
export function createSetLogic(logic: LogicName): SetLogic {
  return { ...joins[logic], not: complement };
}
