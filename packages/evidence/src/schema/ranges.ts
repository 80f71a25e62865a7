import {
  type AdjacencyIndex,
  checkId,
  expectOptions,
  type FactRows,
  FuzzError,
  findGroup,
  type KnowledgeGraph,
  keptBy,
  rowsOf,
} from '@fuzzqe/core';
import {
  type Attribute,
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

/** The ranges of all entities under one relation: that of e is `values[codes[e]]`. */
export interface RangeTable {
  /** Shape: [|E|], or longer. */
  readonly codes: Uint16Array | Uint32Array;
  /** Each range once, no more than there are relations and classes. Shape: [codes in use]. */
  readonly values: Float32Array;
}

/**
 * How far each entity may be a tail of a relation r, by the relations and the classes that the entity has.
 *
 * `ρ_r(e) = max(0.001, max over a ∈ A(e) of share_r(a))`
 *
 * A(e): each relation q, inverses included, of which e is a head; each class c with (e, t, c) recorded for a relation t of
 * `typeRelations`, if (·, t, c) has at least 5 heads. H_a: the entities with the attribute a. T_r: the heads of r⁻¹ = r ^ 1.
 * `share_r(a) = 1` where a is the relation r⁻¹, else `(|H_a ∩ T_r| + 0.02) / (|H_a| + 1)`, in double precision;
 * the maximum is rounded to single precision. After `changedFacts` A(e) are the attributes that e has now, and shares stay those of the facts that
 * were indexed first.
 *
 * Shapes: → [|E|], the caller's own. Range: [0.001, 1]; exactly 1 for the recorded tails of r.
 * Time: |E|, and for a relation that `rangeTable` has not kept the relations of the tails of r, and the heads of these relations.
 *
 * @throws FuzzError `range`: a relation, or a relation of `typeRelations`, that the graph does not have.
 * @example
 * const plausible = rangeOf(graph, 0, { typeRelations: findTypeRelations(vocabulary) }); // [|E|]
 */
export function rangeOf(facts: KnowledgeGraph, relation: number, options: RangeOptions = {}): Float32Array {
  return spread(rangeTable(facts, relation, options), (range) => range).subarray(0, facts.entityCount);
}

/** A function of the range of each entity, computed once for each range. Shapes: → [|E|], the caller's own. */
export function spread({ codes, values }: RangeTable, of: (range: number) => number): Float32Array {
  const ofCode = values.map(of);
  const all = new Float32Array(codes.length);
  for (let id = 0; id < all.length; id += 1) all[id] = ofCode[codes[id]!]!;
  return all;
}

/**
 * The ranges of `rangeOf` by codes, kept for the next call: 64 MiB a graph, and at least 8 relations. Do not write to it.
 *
 * @throws FuzzError `range`: as `rangeOf`.
 */
export function rangeTable(facts: KnowledgeGraph, relation: number, options: RangeOptions = {}): RangeTable {
  return keptRange(facts, relation, options);
}

function keptRange(facts: KnowledgeGraph, relation: number, options: RangeOptions): MeasuredRange {
  expectOptions('rangeOf', options, []);
  checkId('relation', relation, facts.relationCount, 'relation');
  const typeRelations = readTypeRelations(facts, options.typeRelations);
  const { tables } = keptRanges(facts.rows);
  const name = nameOf(relation, typeRelations);
  const known = tables.get(name);
  if (known !== undefined) {
    // The last of the map is the one used last.
    tables.delete(name);
    tables.set(name, known);
    return known;
  }
  const table = measureRange(facts, relation, typeRelations);
  const most = Math.max(fewestKept, Math.floor(mostBytes / table.codes.byteLength));
  for (const oldest of tables.keys()) {
    if (tables.size < most) break;
    tables.delete(oldest);
  }
  tables.set(name, table);
  return table;
}

/** The range of one entity, `ρ_r(e)` of `rangeOf`. Range: [0.001, 1]. Throws as `rangeOf`. */
export function rangeAt(
  facts: KnowledgeGraph,
  relation: number,
  entity: number,
  options: RangeOptions = {},
): number {
  const { codes, values } = rangeTable(facts, relation, options);
  return values[codes[entity]!]!;
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
  /** The range of each entity for a relation whose tails share nothing with the entity. */
  readonly least: RangeTable;
  readonly count: AttributeCounter;
}

/** Tables by the relation and the type relations, the table used last at the end. */
const keptRanges = keptBy((_: FactRows) => ({ tables: new Map<string, MeasuredRange>() }));

/** By the type relations. */
const keptGrounds = keptBy((_: AdjacencyIndex) => new Map<string, Ground>());

/** Ranges with what they follow from. */
interface MeasuredRange extends RangeTable {
  /** Computed when an entity has changed. */
  shares(): RangeShares;
}

/** share_r of each relation, and of each class that an instance of the range has. */
export interface RangeShares {
  /** Shape: [|R|]. */
  readonly ofRelation: Float64Array;
  readonly ofClass: ReadonlyMap<string, number>;
}

const nameOf = (relation: number, typeRelations: readonly number[]): string =>
  `${relation}:${typeRelations.join()}`;

function groundOf(facts: KnowledgeGraph, typeRelations: readonly number[]): Ground {
  const grounds = keptGrounds(facts.index);
  const known = grounds.get(typeRelations.join());
  if (known !== undefined) return known;
  const ground = {
    least: leastRanges(facts, typeRelations),
    count: createAttributeCounter(facts, typeRelations),
  };
  grounds.set(typeRelations.join(), ground);
  return ground;
}

function shareOf(hits: number, holders: number): number {
  return (hits + 0.02) / (holders + 1);
}

/** Entities, and the least range that they have. */
interface Raise {
  readonly entities: Int32Array;
  readonly share: number;
}

/** Raises the ranges of entities, each to the highest of its shares. */
function raised(from: RangeTable, raises: readonly Raise[]): RangeTable {
  const most = from.values.length + raises.length;
  const codes = new (most <= 2 ** 16 ? Uint16Array : Uint32Array)(from.codes.length);
  codes.set(from.codes);
  const values = new Float32Array(most);
  values.set(from.values);
  let used = from.values.length;
  const codeOf = new Map(Array.from(from.values, (value, code) => [value, code] as const));
  for (const { entities, share } of raises) {
    const value = Math.fround(share);
    let code = codeOf.get(value);
    if (code === undefined) {
      code = used;
      values[code] = value;
      codeOf.set(value, code);
      used += 1;
    }
    for (let i = 0; i < entities.length; i += 1) {
      const entity = entities[i]!;
      if (values[codes[entity]!]! < value) codes[entity] = code;
    }
  }
  return { codes, values: values.slice(0, used) };
}

function leastRanges({ index, relationCount }: KnowledgeGraph, types: readonly number[]): RangeTable {
  // For as many entities as the index has room for: it is kept as long as the index.
  const entityCount = index.headOffsets.length - 1;
  const raises: Raise[] = [];
  for (let relation = 0; relation < relationCount; relation += 1) {
    const entities = headsOf(index, relation);
    raises.push({ entities, share: shareOf(0, entities.length) });
  }
  for (const type of types)
    for (const each of headsOf(index, type ^ 1)) {
      const entities = tailsOf(index, each, type ^ 1);
      if (entities.length >= leastInstances) raises.push({ entities, share: shareOf(0, entities.length) });
    }
  return raised({ codes: new Uint16Array(entityCount), values: Float32Array.of(leastRange) }, raises);
}

function measureRange(
  facts: KnowledgeGraph,
  relation: number,
  typeRelations: readonly number[],
): MeasuredRange {
  const { index, rows } = facts;
  const { least, count } = groundOf(facts, typeRelations);
  const base = rowsOf(index);
  if (rows !== base)
    return ofChangedEntities(
      { rows, base, typeRelations },
      keptRange({ ...facts, rows: base }, relation, { typeRelations }),
    );
  const attributes = count(headsOf(index, relation ^ 1));
  const raises = attributes.map((attribute) => ({
    entities: holdersOf(index, attribute),
    share: shareOfRange(attribute, relation),
  }));
  let shares: RangeShares | undefined;
  return {
    ...raised(least, raises),
    shares() {
      shares ??= sharesOf(facts, relation, attributes);
      return shares;
    },
  };
}

export function sharesOf(
  { index, relationCount }: KnowledgeGraph,
  relation: number,
  attributes: readonly Attribute[],
): RangeShares {
  const ofRelation = Float64Array.from({ length: relationCount }, (_, each) =>
    each === (relation ^ 1) ? 1 : shareOf(0, headsOf(index, each).length),
  );
  const ofClass = new Map<string, number>();
  for (const attribute of attributes) {
    const share = shareOfRange(attribute, relation);
    if (attribute.class === undefined) ofRelation[attribute.relation] = share;
    else ofClass.set(`${attribute.relation} ${attribute.class}`, share);
  }
  return { ofRelation, ofClass };
}

/** Ranges where the facts of some entities have changed: the shares stay, and these entities have other attributes. */
function ofChangedEntities(
  { rows, base, typeRelations }: { rows: FactRows; base: FactRows; typeRelations: readonly number[] },
  { codes: before, values, shares }: MeasuredRange,
): MeasuredRange {
  const { ofRelation, ofClass } = shares();
  let codes: RangeTable['codes'] = before.slice();
  const codeOf = new Map(Array.from(values, (value, code) => [value, code] as const));
  const more: number[] = [];
  const { headStarts, headEnds, groupRelations, groupStarts, groupEnds, tails } = rows;
  for (let entity = 0; entity < codes.length; entity += 1) {
    if (headStarts[entity] === base.headStarts[entity]) continue;
    let best = leastRange;
    for (let group = headStarts[entity]!; group < headEnds[entity]!; group += 1) {
      const relation = groupRelations[group]!;
      best = Math.max(best, ofRelation[relation]!);
      if (!typeRelations.includes(relation)) continue;
      for (let edge = groupStarts[group]!; edge < groupEnds[group]!; edge += 1)
        best = Math.max(best, shareOfClass(base, relation, tails[edge]!, ofClass));
    }
    const value = Math.fround(best);
    let code = codeOf.get(value);
    if (code === undefined) {
      code = values.length + more.length;
      codeOf.set(value, code);
      more.push(value);
      if (code === 2 ** 16) codes = Uint32Array.from(codes);
    }
    codes[entity] = code;
  }
  const all = new Float32Array(values.length + more.length);
  all.set(values);
  all.set(more, values.length);
  return { codes, values: all, shares };
}

/** share_r of a class whose instances say what an entity may be; 0 of another. */
export function shareOfClass(
  base: FactRows,
  type: number,
  of: number,
  shares: ReadonlyMap<string, number>,
): number {
  const known = shares.get(`${type} ${of}`);
  if (known !== undefined) return known;
  const group = findGroup(base, of, type ^ 1);
  const instances = group < 0 ? 0 : base.groupEnds[group]! - base.groupStarts[group]!;
  return instances < leastInstances ? 0 : shareOf(0, instances);
}

/** share_r(a); 0 of a class with too few instances. */
function shareOfRange({ relation, class: instancesOf, holders, hits }: Attribute, of: number): number {
  if (instancesOf === undefined) return relation === (of ^ 1) ? 1 : shareOf(hits, holders);
  return holders < leastInstances ? 0 : shareOf(hits, holders);
}
