import { checkId, expectOptions, type KnowledgeGraph } from '@fuzzqe/core';
import { createAttributeCounter, headsOf, tailsOf } from './attribute-counter.ts';
import { describeEntities, type EntityKinds } from './entity-kinds.ts';
import { type Finding, findingOf } from './finding.ts';
import { type RangeOptions, readTypeRelations } from './ranges.ts';
import { countShared, createOverlapFinder, type RelationOverlap } from './relation-overlaps.ts';
import { headCounts } from './second-tail-share.ts';
import { selfLoops } from './self-loops.ts';

/** What the recorded facts of a relation show of it; counts stand next to every verdict. */
export interface RelationSchema {
  /** The forward relation: an even id. */
  readonly relation: number;
  readonly facts: number;
  readonly heads: number;
  readonly tails: number;
  /** Self loops, among the entities that are both heads and tails of the relation. */
  readonly reflexive: Finding;
  /** Facts that are recorded the other way round, too, among the facts between two entities. */
  readonly symmetric: Finding;
  /** Heads with one tail, among the heads. */
  readonly functional: Finding;
  /** Tails with one head, among the tails. */
  readonly inverseFunctional: Finding;
  /** Other relations that have at least 0.8 of these facts, too, at most 10: an odd id has the facts the other way round. */
  readonly overlaps: readonly RelationOverlap[];
  /** What the heads are. */
  readonly domain: EntityKinds;
  /** What the tails are. */
  readonly range: EntityKinds;
}

/** Which relations are described, and how. */
export interface SchemaOptions extends RangeOptions {
  /** Relations to describe; an inverse stands for its forward relation. Default: all. */
  readonly relations?: readonly number[];
}

/**
 * Reads the schema of relations off a graph's facts: nothing is declared, everything is counted.
 *
 * One entry for each forward relation, ascending, relations without facts included.
 *
 * @throws FuzzError `range`: a relation that the graph does not have.
 * @example
 * const [first] = describeSchema(graph, { typeRelations: findTypeRelations(vocabulary) });
 * first?.symmetric;
 */
export function describeSchema(facts: KnowledgeGraph, options: SchemaOptions = {}): RelationSchema[] {
  expectOptions('describeSchema', options, []);
  const typeRelations = readTypeRelations(facts, options.typeRelations);
  const { index, relationCount } = facts;
  const count = createAttributeCounter(facts, typeRelations);
  const overlapsOf = createOverlapFinder(facts);
  const { withTail, withSecond } = headCounts(index);
  const oneTail = (relation: number): Finding =>
    findingOf(withTail[relation]! - withSecond[relation]!, withTail[relation]!);
  return asked(relationCount, options.relations).map((relation) => {
    const [heads, tails] = [headsOf(index, relation), headsOf(index, relation + 1)];
    const loops = selfLoops(index)[relation]!;
    const { count: factCount, mirrored } = countFacts(facts, relation);
    return {
      relation,
      facts: factCount,
      heads: heads.length,
      tails: tails.length,
      reflexive: findingOf(loops, countShared(heads, tails)),
      symmetric: findingOf(mirrored, factCount - loops),
      functional: oneTail(relation),
      inverseFunctional: oneTail(relation + 1),
      overlaps: overlapsOf(relation),
      domain: describeEntities(heads, relation, typeRelations, count),
      range: describeEntities(tails, relation + 1, typeRelations, count),
    };
  });
}

/** The forward relations that are asked for, ascending, each once. */
function asked(relationCount: number, relations: readonly number[] | undefined): number[] {
  if (relations === undefined) return Array.from({ length: relationCount / 2 }, (_, k) => 2 * k);
  relations.forEach((each, i) => {
    checkId('relation', each, relationCount, `$.relations[${i}]`);
  });
  return [...new Set(relations.map((each) => each - (each % 2)))].sort((a, b) => a - b);
}

/** How many facts a relation has, and how many of the facts between two entities are recorded the other way round, too. */
function countFacts(
  { index }: KnowledgeGraph,
  relation: number,
): { readonly count: number; readonly mirrored: number } {
  let [count, mirrored] = [0, 0];
  const loops = selfLoops(index)[relation]!;
  for (const head of headsOf(index, relation)) {
    const tails = tailsOf(index, head, relation);
    count += tails.length;
    mirrored += countShared(tails, tailsOf(index, head, relation ^ 1));
  }
  return { count, mirrored: mirrored - loops };
}
