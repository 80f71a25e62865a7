import type { LogicName } from '../logic/logic.ts';

/** ∧, ∨ and ¬ of fuzzy sets, degree by degree. Shapes: [|E|] → [|E|], a new array. */
export interface SetLogic {
  /** (5) */
  and(left: Float32Array, right: Float32Array): Float32Array;
  /** (6) */
  or(left: Float32Array, right: Float32Array): Float32Array;
  /** (7) with λ = 0. */
  not(set: Float32Array): Float32Array;
}

// A loop each: one loop that takes the operator as a function is several times slower once it has seen two of them, as are `map` and a
// run of a graph. Every step is rounded to single precision, so that degrees are those of the tensor programs of `logics`.
const { fround } = Math;

function complement(set: Float32Array): Float32Array {
  const rest = new Float32Array(set.length);
  for (let i = 0; i < set.length; i += 1) rest[i] = 1 - set[i]!;
  return rest;
}

const product: SetLogic = {
  and(left, right) {
    const both = new Float32Array(left.length);
    for (let i = 0; i < left.length; i += 1) both[i] = left[i]! * right[i]!;
    return both;
  },
  or(left, right) {
    const any = new Float32Array(left.length);
    for (let i = 0; i < left.length; i += 1) any[i] = left[i]! + fround(right[i]! * fround(1 - left[i]!));
    return any;
  },
  not: complement,
};

const godel: SetLogic = {
  and(left, right) {
    const both = new Float32Array(left.length);
    for (let i = 0; i < left.length; i += 1) both[i] = Math.min(left[i]!, right[i]!);
    return both;
  },
  or(left, right) {
    const any = new Float32Array(left.length);
    for (let i = 0; i < left.length; i += 1) any[i] = Math.max(left[i]!, right[i]!);
    return any;
  },
  not: complement,
};

const lukasiewicz: SetLogic = {
  and(left, right) {
    const both = new Float32Array(left.length);
    for (let i = 0; i < left.length; i += 1) both[i] = Math.max(fround(left[i]! + right[i]!) - 1, 0);
    return both;
  },
  or(left, right) {
    const any = new Float32Array(left.length);
    for (let i = 0; i < left.length; i += 1) any[i] = Math.min(left[i]! + right[i]!, 1);
    return any;
  },
  not: complement,
};

/**
 * The logics on fuzzy sets, which lie in memory degree by degree: as graphs they would cost a copy and a run each.
 *
 * Source: as `Logic`.
 */
export const setLogics: Readonly<Record<LogicName, SetLogic>> = { product, godel, lukasiewicz };
