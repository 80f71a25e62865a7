import { checkId, expectOptions, FuzzError, type KnowledgeGraph, keptByIndex } from '@fuzzqe/core';
import {
  type AttributeCounter,
  createAttributeCounter,
  headsOf,
  holdersOf,
  tailsOf,
} from './attribute-counter.ts';

/** How ranges are read off a graph. */
export interface RangeOptions {
  /** The relations that say what an entity is, as `findTypeRelations` finds them. Default: none. */
  readonly typeRelations?: readonly number[];
}

/** The least of a range: an entity of which nothing is known may be a tail all the same. */
export const leastRange = 0.001;

/** How many instances a class has at least that says what its instances may be. */
export const leastInstances = 5;

/** What is kept of the ranges of one graph, in bytes. */
const mostBytes = 2 ** 26;

/** So many relations are kept whatever their bytes. */
const fewestKept = 8;

/**
 * How far each entity may be a tail of a relation r, by the relations and the classes that the entity has.
 *
 * `ρ_r(e) = max(0.001, max over a ∈ A(e) of share_r(a))`
 *
 * A(e): each relation q, inverses included, of which e is a head; each class c with (e, t, c) recorded for a relation t of
 * `typeRelations`, if (·, t, c) has at least 5 heads. H_a: the entities with the attribute a. T_r: the heads of r⁻¹ = r ^ 1.
 * `share_r(a) = 1` where a is the relation r⁻¹, else `(|H_a ∩ T_r| + 0.02) / (|H_a| + 1)`, in double precision;
 * the maximum is rounded to single precision.
 *
 * Shapes: → [|E|]. Range: [0.001, 1]; exactly 1 for the recorded tails of r.
 * The array is kept for the next call, 64 MiB of such arrays a graph and at least 8: do not write to it.
 * Time: the relations of the tails of r, and the heads of these relations.
 *
 * @throws FuzzError `range`: a relation, or a relation of `typeRelations`, that the graph does not have.
 * @example
 * const plausible = rangeOf(graph, 0, { typeRelations: findTypeRelations(vocabulary) }); // [|E|]
 */
export function rangeOf(facts: KnowledgeGraph, relation: number, options: RangeOptions = {}): Float32Array {
  expectOptions('rangeOf', options, []);
  checkId('relation', relation, facts.relationCount, 'relation');
  const typeRelations = readTypeRelations(facts, options.typeRelations);
  const kept = keptRanges(facts.index);
  const types = typeRelations.join();
  const name = `${relation}:${types}`;
  const known = kept.ranges.get(name);
  if (known !== undefined) {
    // The last of the map is the one used last.
    kept.ranges.delete(name);
    kept.ranges.set(name, known);
    return known;
  }
  let ground = kept.grounds.get(types);
  if (ground === undefined) {
    ground = {
      least: leastRanges(facts, typeRelations),
      count: createAttributeCounter(facts, typeRelations),
    };
    kept.grounds.set(types, ground);
  }
  const range = measureRange(facts, relation, ground);
  const most = Math.max(fewestKept, Math.floor(mostBytes / range.byteLength));
  for (const oldest of kept.ranges.keys()) {
    if (kept.ranges.size < most) break;
    kept.ranges.delete(oldest);
  }
  kept.ranges.set(name, range);
  return range;
}

/** The relations that say what an entity is, as given, each once. */
export function readTypeRelations(facts: KnowledgeGraph, given: readonly number[] = []): readonly number[] {
  if (!Array.isArray(given))
    throw new FuzzError('range', 'typeRelations: expected an array of relations, got something else', {
      path: '$.typeRelations',
      hint: 'findTypeRelations(vocabulary) gives one.',
    });
  given.forEach((each, i) => {
    checkId('relation', each, facts.relationCount, `$.typeRelations[${i}]`);
  });
  return [...new Set(given)];
}

/** What all ranges of a graph begin with. */
interface Ground {
  /** [|E|]: the range of each entity for a relation whose tails share nothing with the entity. */
  readonly least: Float32Array;
  readonly count: AttributeCounter;
}

const keptRanges = keptByIndex(() => ({
  /** By the relation and the type relations, the one used last at the end. */
  ranges: new Map<string, Float32Array>(),
  /** By the type relations. */
  grounds: new Map<string, Ground>(),
}));

function shareOf(hits: number, holders: number): number {
  return (hits + 0.02) / (holders + 1);
}

function raise(range: Float32Array, entities: Int32Array, share: number): void {
  const rounded = Math.fround(share);
  for (const entity of entities) if (range[entity]! < rounded) range[entity] = rounded;
}

function leastRanges(
  { index, entityCount, relationCount }: KnowledgeGraph,
  types: readonly number[],
): Float32Array {
  const range = new Float32Array(entityCount).fill(leastRange);
  for (let relation = 0; relation < relationCount; relation += 1) {
    const holders = headsOf(index, relation);
    raise(range, holders, shareOf(0, holders.length));
  }
  for (const type of types)
    for (const each of headsOf(index, type ^ 1)) {
      const holders = tailsOf(index, each, type ^ 1);
      if (holders.length >= leastInstances) raise(range, holders, shareOf(0, holders.length));
    }
  return range;
}

function measureRange({ index }: KnowledgeGraph, relation: number, { least, count }: Ground): Float32Array {
  const range = least.slice();
  const tails = headsOf(index, relation ^ 1);
  for (const attribute of count(tails)) {
    const { class: instancesOf, holders, hits } = attribute;
    if (instancesOf !== undefined && holders < leastInstances) continue;
    const isItself = instancesOf === undefined && attribute.relation === (relation ^ 1);
    raise(range, holdersOf(index, attribute), isItself ? 1 : shareOf(hits, holders));
  }
  return range;
}
