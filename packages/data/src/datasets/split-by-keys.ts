import type { Vocabulary } from '@fuzzqe/core';
import { gather, type SplitTriples } from './split.ts';

/** What to hold out, and by which seed. */
export interface KeySplitOptions {
  readonly vocabulary: Vocabulary;
  /** The share of the facts to hold out for validation, and for the test as many, in [0, 0.5). */
  readonly holdOut: number;
  readonly seed: string | number;
}

/** The parts, and why one has fewer facts than it was to have. */
export interface KeySplit extends SplitTriples {
  readonly notes: readonly string[];
}

/**
 * Holds out a share of a graph's facts by a hash of their keys.
 *
 * All facts between the same two entities are a unit and stay together, so that no mirror gives a held-out fact away.
 * A unit has a place in [0, 1) by the seed and the keys of its entities: the lowest places are the test, the next ones
 * validation. The unit in the highest place of an entity, or of a relation, is always for training: none loses its last
 * training fact. So a fact keeps its part whatever the order of the lines, and when other facts come or go, unless it is,
 * or was, the one training fact of a name. A part without facts takes those in the lowest places that are left.
 *
 * Shapes: triples [3 × n], flat h, r, t with distinct facts.
 */
export function splitByKeys(triples: Int32Array, { vocabulary, holdOut, seed }: KeySplitOptions): KeySplit {
  const facts = triples.length / 3;
  const placeOf = createPlaces(vocabulary, seed);
  const highest = new Float64Array(vocabulary.entityCount);
  const highestOfRelation = new Float64Array(vocabulary.relationCount);
  for (let i = 0; i < triples.length; i += 3) {
    const [head, relation, tail] = [triples[i]!, triples[i + 1]!, triples[i + 2]!];
    const place = placeOf(head, tail);
    highest[head] = Math.max(highest[head]!, place);
    highest[tail] = Math.max(highest[tail]!, place);
    highestOfRelation[relation] = Math.max(highestOfRelation[relation]!, place);
  }
  const kept = new Set(highestOfRelation);
  const mayLeave = (head: number, tail: number, place: number): boolean =>
    place !== highest[head] && place !== highest[tail] && !kept.has(place);

  const parts = new Uint8Array(facts);
  const counts = [0, 0, 0];
  let stays = 0;
  for (let fact = 0; fact < facts; fact++) {
    const [head, tail] = [triples[3 * fact]!, triples[3 * fact + 2]!];
    const place = placeOf(head, tail);
    if (!mayLeave(head, tail, place)) stays++;
    else if (place < holdOut) parts[fact] = test;
    else if (place < 2 * holdOut) parts[fact] = valid;
    counts[parts[fact]!]!++;
  }
  const wanted = Math.round(facts * holdOut);
  for (const part of [test, valid]) {
    if (counts[part]! > 0 || wanted === 0) continue;
    const free: number[] = [];
    for (let fact = 0; fact < facts; fact++) {
      const [head, tail] = [triples[3 * fact]!, triples[3 * fact + 2]!];
      const place = placeOf(head, tail);
      if (parts[fact] === train && mayLeave(head, tail, place)) free.push(place);
    }
    const lowest = [...new Set(free)].sort((one, other) => one - other);
    const taken = new Set(lowest.slice(0, Math.max(1, Math.round(lowest.length * holdOut))));
    for (let fact = 0; fact < facts; fact++)
      if (parts[fact] === train && taken.has(placeOf(triples[3 * fact]!, triples[3 * fact + 2]!))) {
        parts[fact] = part;
        counts[part]!++;
      }
  }
  const isShort = 2 * Math.min(counts[test]!, counts[valid]!) < wanted;
  return {
    train: gather(triples, parts, train),
    valid: gather(triples, parts, valid),
    test: gather(triples, parts, test),
    notes: isShort
      ? [
          `held out ${counts[valid]} facts for validation and ${counts[test]} for the test, of ${facts}, where the share is ${wanted} each: ${stays} facts stay in training, because an entity or a relation would have none`,
        ]
      : [],
  };
}

const [train, valid, test] = [0, 1, 2] as const;

/** Where the unit of two entities stands in [0, 1): the same for both orders, of 53 bits. */
function createPlaces(
  { entityCount, entity }: Vocabulary,
  seed: string | number,
): (head: number, tail: number) => number {
  const [highSeed, lowSeed] = hashText(`split ${seed}`, 0, 1);
  const highs = new Int32Array(entityCount);
  const lows = new Int32Array(entityCount);
  for (let id = 0; id < entityCount; id++)
    [highs[id], lows[id]] = hashText(entity(id).key, highSeed, lowSeed);
  return (head, tail) => {
    const high = mix(highs[head]! + highs[tail]!);
    const low = mix(lows[head]! + lows[tail]! + high);
    return ((high >>> 0) * 2 ** 21 + (low >>> 11)) / 2 ** 53;
  };
}

/** Two hashes of a text. Source: FNV-1a, over UTF-16 units, from two beginnings. */
function hashText(text: string, oneSeed: number, otherSeed: number): [one: number, other: number] {
  let [one, other] = [0x811c9dc5 ^ oneSeed, 0x811c9dc5 ^ mix(otherSeed)];
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    one = Math.imul(one ^ unit, 0x01000193);
    other = Math.imul(other ^ unit, 0x01000193) ^ (other >>> 15);
  }
  return [mix(one), mix(other)];
}

/** Every bit of a number to every bit of another. Source: the finalizer of MurmurHash3. */
function mix(value: number): number {
  let mixed = value | 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}
