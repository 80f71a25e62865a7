import { expectOptions, FuzzError, type KnowledgeGraph, type Random } from '@fuzzqe/core';
import type { StructureName } from '@fuzzqe/core/query';
import { type QueryStructure, structureOf } from '../queries/query-structure.ts';
import { createQueriesBuilder, queryRow, type SampledQueries } from '../queries/sampled-queries.ts';
import type { DrawnBlock, DrawTask } from './draw-block.ts';
import { type AddedRules, canonicalName, canonicalRelations } from './rules.ts';
import { createSamplingPool, type SamplingPool } from './sampling-pool.ts';

/** Which queries to sample. */
export interface SampleOptions<Name extends string = StructureName> {
  /** One of the 14 structures by its name, or any other. */
  readonly structure: QueryStructure<Name> | (Name & StructureName);
  /** How many queries to find. */
  readonly count: number;
  /** What is known: its answers are easy, and every query has one that is not. null samples training queries. */
  readonly smaller: KnowledgeGraph | null;
  /** Where queries are drawn and answered. */
  readonly larger: KnowledgeGraph;
  readonly random: Random;
  /**
   * The most answers that a training query may have; with a smaller graph, the most that the larger graph may add, and the
   * most that it may take away. Default 100.
   */
  readonly maxAnswers?: number;
  /** Rules beside those of BetaE. Default none. */
  readonly rules?: AddedRules;
  /**
   * Stop after so many draws in a row that gave no new query: a small graph has only so many. Default 20 000.
   *
   * Sampling also stops after blocks of draws that looked at 10⁹ edges without a new query: at a hub each draw takes long.
   */
  readonly patience?: number;
  /** Where the draws are made; it must have both graphs. Default: this thread. */
  readonly pool?: SamplingPool;
  /** Called now and then with the number of queries found so far, and at the end. */
  readonly onProgress?: (done: number, total: number) => void;
  readonly signal?: AbortSignal;
}

/** Some seconds of work. A limit in time would let the same seed give other queries. */
const mostIdleEdges = 1e9;

/**
 * How many draws make a block: few at first, because a few queries need few, then some tens of milliseconds of work.
 */
const drawsOfBlock = (index: number): number => Math.min(1024, 32 * 2 ** index);

/**
 * Samples distinct queries of one structure with their exact answers, by the rules of the BetaE data sets.
 *
 * An entity is drawn and the structure's slots are filled by a walk backwards from it (see `createBackwardWalk`). A query is
 * kept if
 *  1. no two operands of a conjunction or disjunction ask the same, and none negates another;
 *  2. for training: it has at least one answer and at most `maxAnswers`;
 *  3. with a smaller graph: at least one answer is hard, that is, on the larger graph only, and at most `maxAnswers` are;
 *     with a negation, besides, the larger graph takes an answer away, and at most `maxAnswers`;
 *  4. it is new, the order of operands aside;
 *  5. the rules that are asked for beside these hold.
 *
 * Gives fewer than `count` queries when `patience` runs out. The result depends on the graphs, the options and the
 * seed of `random` alone: draws are made in blocks, each with its own stream, and taken in the order of the blocks,
 * so threads change nothing but the time.
 *
 * Source: BetaE (NeurIPS 2020), appendix on query generation; create_queries.py of KGReasoning.
 *
 * @throws FuzzError `range`: graphs of different sizes, a count or cap that is no positive integer.
 *   `interrupted`: the signal was raised.
 * @example
 * const { train } = dataset.graphs();
 * const random = createRandom('my run').fork('train', '2in');
 * const sampled = await sampleQueries({ structure: '2in', count: 5000, smaller: null, larger: train, random });
 */
export async function sampleQueries<Name extends string = StructureName>(
  options: SampleOptions<Name>,
): Promise<SampledQueries<Name>> {
  expectOptions('sampleQueries', options, ['structure', 'smaller', 'larger', 'random']);
  checkOptions(options);
  const { count, larger, onProgress, signal, patience = 20_000, rules = {} } = options;
  const structure = structureOf(options.structure);
  const queries = createQueriesBuilder(structure);
  const canonical = canonicalRelations(larger, rules);
  const names = new Set<string>();
  let lastNew = -1;
  let idleEdges = 0;

  /** Takes what is new of a block; says whether more is wanted. */
  const take = ({ queries: found, draws }: DrawnBlock, start: number, end: number): boolean => {
    for (let row = 0; row < found.count; row++) {
      const draw = start + draws[row]!;
      if (draw - lastNew > patience) return false;
      const query = queryRow(found, row);
      const name = canonicalName(structure.template, query.anchors, query.relations, canonical)!;
      if (names.has(name)) continue;
      names.add(name);
      queries.add(query);
      lastNew = draw;
      if (queries.count === count) return false;
    }
    return end - lastNew <= patience;
  };

  for await (const { block, start, end } of blocksInOrder(options, structure)) {
    const known = queries.count;
    const wanted = take(block, start, end);
    idleEdges = queries.count > known ? 0 : idleEdges + block.edges;
    const more = wanted && idleEdges < mostIdleEdges;
    onProgress?.(queries.count, count);
    if (!more) break;
    if (signal?.aborted) {
      const reached = `stopped at ${queries.count} of ${count} queries`;
      throw new FuzzError('interrupted', `sampling ${structure.name}: ${reached}`);
    }
  }
  return queries.build();
}

/** Blocks without end, in order, while those that follow are being drawn. */
async function* blocksInOrder(
  {
    smaller,
    larger,
    random,
    maxAnswers = 100,
    rules = {},
    pool,
    signal,
  }: Omit<SampleOptions<string>, 'structure'>,
  structure: QueryStructure,
): AsyncGenerator<{ readonly block: DrawnBlock; readonly start: number; readonly end: number }> {
  if (signal?.aborted) throw new FuzzError('interrupted', `sampling ${structure.name}: not begun`);
  const graphs = smaller === null ? [larger] : [larger, smaller];
  const drawing = pool ?? createSamplingPool({ graphs, workers: 0 });
  const numberOf = (graph: KnowledgeGraph): number => {
    const index = drawing.graphs.indexOf(graph);
    if (index >= 0) return index;
    throw new FuzzError('usage', 'sampling pool: expected one that was made of the graphs to sample on');
  };
  const task: Omit<DrawTask, 'seed' | 'draws'> = {
    structure,
    smaller: smaller === null ? null : numberOf(smaller),
    larger: numberOf(larger),
    maxAnswers,
    rules,
  };
  const ahead: Promise<DrawnBlock>[] = [];
  const ask = (index: number): void => {
    const stream = random.fork('block', index);
    const seed = Array.from({ length: 4 }, () => stream.uint32());
    const block = drawing.draw({ ...task, seed, draws: drawsOfBlock(index) });
    // A block that is no longer wanted may fail unheard.
    block.catch(() => {});
    ahead.push(block);
  };
  for (let index = 0, start = 0; ; index++) {
    while (ahead.length < drawing.atOnce) ask(index + ahead.length);
    const end = start + drawsOfBlock(index);
    yield { block: await ahead.shift()!, start, end };
    start = end;
  }
}

function checkOptions({
  count,
  smaller,
  larger,
  maxAnswers = 100,
  patience = 1,
}: Omit<SampleOptions<string>, 'structure'>): void {
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
