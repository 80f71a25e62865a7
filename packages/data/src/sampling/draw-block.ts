import { createRandom, type KnowledgeGraph } from '@fuzzqe/core';
import { type Answerer, createAnswerer, type FoundAnswers } from '@fuzzqe/core/query';
import type { QueryStructure } from '../queries/query-structure.ts';
import { createQueriesBuilder, type SampledQueries } from '../queries/sampled-queries.ts';
import { createBackwardWalk } from './backward-walk.ts';
import { type AddedRules, canonicalName, canonicalRelations, withoutEachNegation } from './rules.ts';

/** A number of draws that are made together, by whichever thread: plain data, so that it can be sent to one. */
export interface DrawTask {
  readonly structure: QueryStructure;
  /** Which of the graphs is the smaller one; null draws training queries. */
  readonly smaller: number | null;
  /** Which of the graphs is the larger one. */
  readonly larger: number;
  /** See SampleOptions. */
  readonly maxAnswers: number;
  readonly rules: AddedRules;
  readonly seed: readonly number[];
  readonly draws: number;
}

/** The queries that a block of draws found. */
export interface DrawnBlock {
  readonly queries: SampledQueries<string>;
  /** [count]: by which draw of the block each was found. */
  readonly draws: Int32Array;
  /** How many edges were looked at to answer them. */
  readonly edges: number;
}

/** What is worked out once for each graph. */
interface GraphMaterial {
  readonly graph: KnowledgeGraph;
  readonly answerer: Answerer;
  /** By whether relations that mirror themselves are their own inverses. */
  canonical(rules: AddedRules): Int32Array;
  /** The entities that have an edge: where walks begin. */
  readonly targets: Int32Array;
}

/**
 * Makes blocks of draws on some graphs.
 *
 * `graphOf` gives a graph by its number; it is asked once for each, when the first task names it. A block depends on its task and the graphs alone. What it found is new within the block; whether other blocks found
 * the same is for the caller to see.
 */
export function createBlockDraw(graphOf: (index: number) => KnowledgeGraph): (task: DrawTask) => DrawnBlock {
  const material = new Map<number, GraphMaterial>();
  const of = (index: number): GraphMaterial => {
    const known = material.get(index);
    if (known !== undefined) return known;
    const graph = graphOf(index);
    const made = {
      graph,
      answerer: createAnswerer(graph),
      canonical: canonicalOf(graph),
      targets: connectedEntities(graph),
    };
    material.set(index, made);
    return made;
  };

  const changes = new Map<string, Uint8Array>();
  /** 1 for each relation of which the two graphs have different facts: a query without such a relation has no hard answer. */
  const changedBy = (task: DrawTask): Uint8Array | undefined => {
    if (task.smaller === null) return undefined;
    const name = `${task.larger}>${task.smaller}`;
    const changed = changes.get(name) ?? changedRelations(of(task.larger).graph, of(task.smaller).graph);
    changes.set(name, changed);
    return changed;
  };

  return (task) => {
    const { structure, maxAnswers, rules } = task;
    const { template } = structure;
    const larger = of(task.larger);
    const smaller = task.smaller === null ? undefined : of(task.smaller).answerer;
    const random = createRandom('block', ...task.seed);
    const canonical = larger.canonical(rules);
    const walk = createBackwardWalk(larger.graph, structure, canonical, random);
    const { anchors, relations } = walk;
    const withoutOne = withoutEachNegation(template);
    const queries = createQueriesBuilder(structure);
    const heldOutFactsMatter = (hard: readonly number[], easy: FoundAnswers, size: number): boolean => {
      if (hard.length === 0 || hard.length > maxAnswers) return false;
      if (withoutOne.length === 0) return true;
      const lost = easy.size + hard.length - size;
      return lost > 0 && lost <= maxAnswers;
    };
    const found: number[] = [];
    const names = new Set<string>();
    const changed = changedBy(task);
    const looked = (): number => larger.answerer.edges + (smaller?.edges ?? 0);
    const before = looked();

    for (let draw = 0; draw < task.draws; draw++) {
      if (!walk.from(larger.targets[random.below(larger.targets.length)]!)) continue;
      // Both before any answers: at a hub, each answer has all its tails.
      if (changed !== undefined && !relations.some((relation) => changed[relation] === 1)) continue;
      const name = canonicalName(template, anchors, relations, canonical);
      if (name === undefined || names.has(name)) continue;
      const all = larger.answerer.find(template, anchors, relations);
      const { size } = all;
      if (size === 0) continue;
      const easy = smaller?.find(template, anchors, relations);
      const hard = easy === undefined ? [] : difference(all, easy);
      if (easy === undefined ? size > maxAnswers : !heldOutFactsMatter(hard, easy, size)) continue;

      const query = { anchors, relations, easy: (easy ?? all).set.toArray(), hard };
      // This overwrites `all`. Leaving a negation out only ever adds answers or only ever takes some: sizes tell.
      const isIdle = (): boolean =>
        withoutOne.some((other) => larger.answerer.find(other, anchors, relations).size === size);
      if (rules.skipIdleNegation && isIdle()) continue;
      names.add(name);
      queries.add(query);
      found.push(draw);
    }
    return { queries: queries.build(), draws: Int32Array.from(found), edges: looked() - before };
  };
}

/** 1 for each relation of which the graphs have different facts. Shapes: → [|R|]. */
function changedRelations(larger: KnowledgeGraph, smaller: KnowledgeGraph): Uint8Array {
  const areSame = (one: Int32Array, other: Int32Array): boolean =>
    one.length === other.length && one.every((id, i) => id === other[i]);
  return Uint8Array.from({ length: larger.relationCount }, (_, relation) => {
    const heads = larger.headsOf(relation);
    const isSame =
      areSame(heads, smaller.headsOf(relation)) &&
      heads.every((head) => areSame(larger.tails(head, relation), smaller.tails(head, relation)));
    return isSame ? 0 : 1;
  });
}

/** What `canonicalRelations` gives, computed once for each of its two answers. */
function canonicalOf(graph: KnowledgeGraph): (rules: AddedRules) => Int32Array {
  const known = new Map<boolean, Int32Array>();
  return ({ skipMirrored = false }) => {
    const canonical = known.get(skipMirrored) ?? canonicalRelations(graph, { skipMirrored });
    known.set(skipMirrored, canonical);
    return canonical;
  };
}

/** The answers of the one that are not among the other's, in ascending order. */
export function difference(one: FoundAnswers, other: FoundAnswers): readonly number[] {
  if (one.listed !== undefined) return Array.from(one.listed.filter((id) => !other.set.has(id)).sort());
  const ids: number[] = [];
  const [ones, others] = [one.set.words, other.set.words];
  for (let i = 0; i < ones.length; i++) {
    for (let word = ones[i]! & ~others[i]!; word !== 0; word &= word - 1) {
      ids.push(i * 32 + 31 - Math.clz32(word & -word));
    }
  }
  return ids;
}

/** The entities that have an edge, ascending. */
export function connectedEntities(graph: KnowledgeGraph): Int32Array {
  const all = Int32Array.from({ length: graph.entityCount }, (_, entity) => entity);
  return all.filter((entity) => graph.degree(entity) > 0);
}
