import type { Steps } from '@fuzzqe/core';
import { type CallLimits, inTurns } from '@fuzzqe/engine';

/** Values that are written in a piece of work: more than the answers to most queries have. */
const valuesOfStep = 2000;

/**
 * A value as JSON: at once where it is short, else in turns of the event loop.
 *
 * @param value objects, arrays, texts, numbers and truths alone.
 * @throws FuzzError `interrupted`, `deadline`: the limits.
 */
export async function writeJson(value: unknown, limits: CallLimits): Promise<string> {
  return isLong(value) ? inTurns(writing(value), limits) : JSON.stringify(value);
}

function* writing(value: unknown): Steps<string> {
  if (typeof value !== 'object' || value === null || !isLong(value)) return JSON.stringify(value);
  if (Array.isArray(value)) return yield* writingArray(value);
  const parts: string[] = [];
  for (const [key, member] of Object.entries(value)) {
    if (member === undefined) continue;
    parts.push(`${JSON.stringify(key)}:${yield* writing(member)}`);
    yield;
  }
  return `{${parts.join(',')}}`;
}

function* writingArray(values: readonly unknown[]): Steps<string> {
  const parts: string[] = [];
  for (let from = 0; from < values.length; ) {
    let to = from;
    for (let count = 0; to < values.length; to++) {
      count += valuesWithin(values[to], valuesOfStep);
      if (count > valuesOfStep) break;
    }
    if (to > from) parts.push(JSON.stringify(values.slice(from, to)).slice(1, -1));
    else parts.push(yield* writing(values[to++]));
    from = to;
    yield;
  }
  return `[${parts.join(',')}]`;
}

const isLong = (value: unknown): boolean => valuesWithin(value, valuesOfStep) > valuesOfStep;

/** How many values there are in one, itself among them, or more than `most`. */
function valuesWithin(value: unknown, most: number): number {
  if (typeof value !== 'object' || value === null) return 1;
  let count = 1;
  // Loops, since a list of the members of each answer would take longer than to write it.
  if (Array.isArray(value))
    for (let at = 0; at < value.length && count <= most; at += 1)
      count += valuesWithin(value[at], most - count);
  else
    for (const key in value) {
      count += valuesWithin(value[key as keyof typeof value], most - count);
      if (count > most) break;
    }
  return count;
}
