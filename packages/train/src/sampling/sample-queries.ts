import { setImmediate } from 'node:timers/promises';
import {
  createAnswerer,
  type EntitySet,
  FuzzError,
  type KnowledgeGraph,
  type Random,
  type StructureName,
  structures,
} from '@fuzzqe/core';
import { canonicalName, canonicalRelations, withoutNegations } from './rules.ts';
import { createQueriesBuilder, type QueriesBuilder, type SampledQueries } from './sampled-queries.ts';
import { createWalk } from './walk.ts';

/** Which queries to sample. */
export interface SampleOptions {
  readonly structure: StructureName;
  /** How many queries to find. */
  readonly count: number;
  /** What is known: its answers are easy, and every query has one that is not. null samples training queries. */
  readonly smaller: KnowledgeGraph | null;
  /** Where queries are drawn and answered. */
  readonly larger: KnowledgeGraph;
  readonly random: Random;
  /** The most answers a query may have, easy and hard together. Default 100. */
  readonly maxAnswers?: number;
  /** Stop after so many draws in a row that gave no new query: a small graph has only so many. Default 20 000. */
  readonly patience?: number;
  /** Called now and then with the number of queries found so far, and at the end. */
  readonly onProgress?: (done: number, total: number) => void;
  readonly signal?: AbortSignal;
}

/** How many draws are made between two looks at the signal. */
const drawsATurn = 1024;

/**
 * Samples distinct queries of one structure with their exact answers, by the rules of the BetaE data sets.
 *
 * An entity is drawn and the structure's slots are filled by a walk backwards from it (see `createWalk`). A query is
 * kept if
 *  1. no two operands of a conjunction or disjunction ask the same, and none negates another;
 *  2. it has at least one answer and at most `maxAnswers`;
 *  3. with a negation: without it, there would be more answers;
 *  4. with a smaller graph: at least one answer is hard, that is, on the larger graph only;
 *  5. it is new, the order of operands aside.
 *
 * Gives fewer than `count` queries when `patience` runs out. The result depends on the graphs, the options and the
 * state of `random` alone.
 *
 * Source: BetaE (NeurIPS 2020), appendix on query generation; create_queries.py of KGReasoning.
 *
 * @throws FuzzError `range`: graphs of different sizes, a count or cap that is no positive integer.
 *   `interrupted`: the signal was raised.
 */
export async function sampleQueries(options: SampleOptions): Promise<SampledQueries> {
  checkOptions(options);
  const { count, onProgress, signal, patience = 20_000 } = options;
  const queries = createQueriesBuilder(options.structure);
  const draw = createDraw(options, queries);
  let failures = 0;
  for (let draws = 0; queries.count < count && failures < patience; draws++) {
    if (draws % drawsATurn === 0) {
      onProgress?.(queries.count, count);
      // The signal and whoever shows the progress only get their turn when this function waits.
      await setImmediate();
      if (signal?.aborted) throw stopped(options.structure, queries.count, count);
    }
    failures = draw() ? 0 : failures + 1;
  }
  onProgress?.(queries.count, count);
  return queries.build();
}

/** Draws a query at each call, adds it if the rules allow it, and says whether they did. */
function createDraw(
  { structure: structureName, smaller, larger, random, maxAnswers = 100 }: SampleOptions,
  queries: QueriesBuilder,
): () => boolean {
  const structure = structures[structureName];
  const { template } = structure;
  const positive = withoutNegations(template);
  const canonical = canonicalRelations(larger);
  const walk = createWalk(larger, structure, canonical, random);
  const { anchors, relations } = walk;
  const onLarger = createAnswerer(larger);
  const onSmaller = smaller === null ? undefined : createAnswerer(smaller);
  const targets = connectedEntities(larger);
  const names = new Set<string>();

  return () => {
    if (!walk.from(targets[random.below(targets.length)]!)) return false;
    const all = onLarger.answer(template, anchors, relations);
    const size = all.size;
    if (size === 0 || size > maxAnswers) return false;
    const easy = onSmaller?.answer(template, anchors, relations);
    const hard = easy === undefined ? undefined : difference(all, easy);
    if (easy !== undefined && (hard!.length === 0 || easy.size + hard!.length > maxAnswers)) return false;

    const name = canonicalName(template, anchors, relations, canonical);
    if (name === undefined || names.has(name)) return false;
    const found = { anchors, relations, easy: (easy ?? all).toArray(), hard: hard ?? [] };
    // This overwrites `all`.
    if (positive !== undefined && onLarger.answer(positive, anchors, relations).size === size) return false;
    names.add(name);
    queries.add(found);
    return true;
  };
}

function stopped(structure: StructureName, done: number, total: number): FuzzError {
  return new FuzzError('interrupted', `sampling ${structure}: stopped at ${done} of ${total} queries`);
}

/** The members of the one that are not in the other. */
function difference(one: EntitySet, other: EntitySet): number[] {
  const ids: number[] = [];
  const [ones, others] = [one.words, other.words];
  for (let i = 0; i < ones.length; i++) {
    for (let word = ones[i]! & ~others[i]!; word !== 0; word &= word - 1) {
      ids.push(i * 32 + 31 - Math.clz32(word & -word));
    }
  }
  return ids;
}

/** The entities that have an edge. */
function connectedEntities(graph: KnowledgeGraph): Int32Array {
  const all = Int32Array.from({ length: graph.entityCount }, (_, entity) => entity);
  return all.filter((entity) => graph.degree(entity) > 0);
}

function checkOptions({ count, smaller, larger, maxAnswers = 100, patience = 1 }: SampleOptions): void {
  for (const [name, value] of Object.entries({ count, maxAnswers, patience })) {
    if (Number.isInteger(value) && value >= 1) continue;
    throw new FuzzError('range', `${name}: expected an integer >= 1, got ${value}`, { path: name });
  }
  if (smaller === null) return;
  if (smaller.entityCount === larger.entityCount && smaller.relationCount === larger.relationCount) return;
  throw new FuzzError(
    'range',
    `graphs to sample on: expected ${larger.entityCount} entities and ${larger.relationCount} relations in both, ` +
      `got ${smaller.entityCount} and ${smaller.relationCount} in the smaller one`,
    { path: 'smaller', hint: 'Make both graphs from one vocabulary.' },
  );
}
