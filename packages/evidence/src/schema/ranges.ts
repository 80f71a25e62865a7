import { checkId, expectOptions, FuzzError, type KnowledgeGraph, keptByIndex } from '@fuzzqe/core';
import {
  type Attribute,
  type AttributeCounter,
  createAttributeCounter,
  hasAttribute,
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
  const name = nameOf(relation, typeRelations);
  const known = kept.ranges.get(name);
  if (known !== undefined) {
    // The last of the map is the one used last.
    kept.ranges.delete(name);
    kept.ranges.set(name, known);
    return known;
  }
  const range = measureRange(facts, relation, groundOf(facts, typeRelations));
  const most = Math.max(fewestKept, Math.floor(mostBytes / range.byteLength));
  for (const oldest of kept.ranges.keys()) {
    if (kept.ranges.size < most) break;
    kept.ranges.delete(oldest);
  }
  kept.ranges.set(name, range);
  return range;
}

/**
 * The range of one entity, `ρ_r(e)` of `rangeOf`, without an array for all of them.
 *
 * Range: [0.001, 1]. Time: the relations of the tails of r, unless `rangeOf` has kept their ranges.
 *
 * @throws FuzzError `range`: as `rangeOf`.
 */
export function rangeAt(
  facts: KnowledgeGraph,
  relation: number,
  entity: number,
  options: RangeOptions = {},
): number {
  checkId('relation', relation, facts.relationCount, 'relation');
  const typeRelations = readTypeRelations(facts, options.typeRelations);
  const known = keptRanges(facts.index).ranges.get(nameOf(relation, typeRelations));
  if (known !== undefined) return known[entity]!;
  const { least, count } = groundOf(facts, typeRelations);
  let range = least[entity]!;
  for (const attribute of count(headsOf(facts.index, relation ^ 1))) {
    const share = Math.fround(shareOfRange(attribute, relation));
    if (share > range && hasAttribute(facts, entity, attribute)) range = share;
  }
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

const nameOf = (relation: number, typeRelations: readonly number[]): string =>
  `${relation}:${typeRelations.join()}`;

function groundOf(facts: KnowledgeGraph, typeRelations: readonly number[]): Ground {
  const { grounds } = keptRanges(facts.index);
  const known = grounds.get(typeRelations.join());
  if (known !== undefined) return known;
  const ground = {
    least: leastRanges(facts, typeRelations),
    count: createAttributeCounter(facts, typeRelations),
  };
  grounds.set(typeRelations.join(), ground);
  return ground;
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
    const share = shareOfRange(attribute, relation);
    if (share > 0) raise(range, holdersOf(index, attribute), share);
  }
  return range;
}

/** share_r(a); 0 of a class with too few instances. */
function shareOfRange({ relation, class: instancesOf, holders, hits }: Attribute, of: number): number {
  if (instancesOf === undefined) return relation === (of ^ 1) ? 1 : shareOf(hits, holders);
  return holders < leastInstances ? 0 : shareOf(hits, holders);
}
