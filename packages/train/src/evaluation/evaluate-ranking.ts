import { expectOptions, FuzzError } from '@fuzzqe/core';
import { createMetrics, filteredRanks, type MetricsReport } from '@fuzzqe/core/ranking';
import {
  type HalfLinks,
  type MissingLinks,
  type QueryRow,
  type QueryScorer,
  queryRow,
  type SampledQueries,
} from '@fuzzqe/data';
import { queriesAtOnce } from './queries-at-once.ts';
import {
  createStrata,
  type HalfStrataReport,
  namedHalves,
  namedMissing,
  type StrataReport,
} from './stratified-metrics.ts';

/** What to evaluate, on which queries. */
export interface EvaluationOptions {
  /** Queries with hard answers; each structure may come in several parts. */
  readonly queries: readonly SampledQueries<string>[];
  readonly score: QueryScorer;
  /** How many entities there are to rank. */
  readonly entityCount: number;
  /** For each part of the queries the missing links of its hard answers: asks for a report by their number. */
  readonly missingLinks?: readonly MissingLinks[];
  /** For each part of the queries the half-links of its hard answers: asks for a report by these. */
  readonly halfLinks?: readonly HalfLinks[];
  /** How many queries are scored at once. Default: 2^24 scores' worth, and what a scorer fills up to; it changes the memory needed and nothing else. */
  readonly batchSize?: number;
  /** Hears the ranks of each query's hard answers. */
  readonly onRanked?: (query: RankedQuery) => void;
  /** Called after each batch with the number of queries ranked so far. */
  readonly onProgress?: (done: number, total: number) => void;
  readonly signal?: AbortSignal;
}

/** A query with the ranks of its hard answers. */
export interface RankedQuery extends QueryRow {
  readonly structure: string;
  readonly ranks: Float64Array;
}

/** 64 MiB of scores: batches large enough for a model to gain by them, whatever the number of entities. */
const scoresAtOnce = 1 << 24;

/** The metrics of all answers and, if they were given, by the number of missing links and by half-links. */
export interface EvaluationReport extends MetricsReport {
  readonly strata?: StrataReport;
  readonly halves?: HalfStrataReport;
}

/**
 * Ranks every hard answer among all entities that are no other answer of its query, easy or hard.
 *
 * The mean is over a query's hard answers, then over a structure's queries, then over structures. Answers with the same
 * score share their mean rank, so a scorer that gives all entities one score is placed in the middle and not on top.
 * The result is the same for every batch size, as long as the scorer's scores are.
 * With missing links each stratum gets the same figures of its own answers.
 * Source: BetaE (NeurIPS 2020), section 5.1.
 *
 * @throws FuzzError `data`: no queries, or a query without a hard answer. `shape`: scores of the wrong size.
 *   `range`: a score that is not a number. `interrupted`: the signal was raised.
 * @example
 * const { score } = createFrequencyBaseline(graph);
 * const report = await evaluateRanking({ queries, score, entityCount: graph.entityCount });
 */
export async function evaluateRanking(options: EvaluationOptions): Promise<EvaluationReport> {
  expectOptions('evaluateRanking', options, ['queries', 'score', 'entityCount']);
  const { queries, score, entityCount, missingLinks, halfLinks, onRanked, onProgress, signal } = options;
  const { batchSize = Math.max(queriesAtOnce(entityCount), Math.floor(scoresAtOnce / entityCount)) } =
    options;
  if (!Number.isInteger(batchSize) || batchSize < 1) {
    throw new FuzzError('range', `batchSize: expected an integer >= 1, got ${batchSize}`, {
      path: 'batchSize',
    });
  }
  const total = queries.reduce((sum, { count }) => sum + count, 0);
  if (total === 0) {
    throw new FuzzError('data', 'evaluation: expected queries, got none', {
      hint: 'Sample validation or test queries first.',
    });
  }

  const metrics = createMetrics();
  const [strata, halves] = [createStrata(), createStrata()];
  let done = 0;
  for (const [index, part] of queries.entries()) {
    const { anchors, relations } = part.shape;
    const given = [
      [strata, missingLinks?.[index]],
      [halves, halfLinks?.[index]],
    ] as const;
    for (let start = 0; start < part.count; start += batchSize) {
      if (signal?.aborted) {
        throw new FuzzError('interrupted', `evaluation: stopped at ${done} of ${total} queries`);
      }
      const end = Math.min(part.count, start + batchSize);
      const rows = end - start;
      const scores = await score(
        part.shape,
        part.anchors.subarray(start * anchors, end * anchors),
        part.relations.subarray(start * relations, end * relations),
        rows,
      );
      checkScores(scores, rows, entityCount, part.structure);
      for (let row = 0; row < rows; row++) {
        const query = queryRow(part, start + row);
        const { easy, hard } = query;
        if (hard.length === 0) throw noHardAnswer(part.structure, start + row);
        const ofRow = scores.subarray(row * entityCount, (row + 1) * entityCount);
        const ranks = filteredRanks(ofRow, hard, easy);
        metrics.add(part.structure, ranks);
        onRanked?.({ structure: part.structure, ...query, ranks });
        const first = part.hard.offsets[start + row]!;
        for (const [by, numbers] of given)
          if (numbers !== undefined)
            by.add(part.structure, ranks, numbers.subarray(first, first + hard.length));
      }
      done += rows;
      onProgress?.(done, total);
    }
  }
  return {
    ...metrics.report(),
    ...(missingLinks === undefined ? {} : { strata: strata.report(namedMissing) }),
    ...(halfLinks === undefined ? {} : { halves: halves.report(namedHalves) }),
  };
}

function checkScores(scores: Float32Array, rows: number, entityCount: number, structure: string): void {
  if (scores.length === rows * entityCount) return;
  throw new FuzzError(
    'shape',
    `scores of ${rows} ${structure} queries: expected [${rows}, ${entityCount}], got ${scores.length} numbers`,
  );
}

function noHardAnswer(structure: string, row: number): FuzzError {
  return new FuzzError('data', `${structure} query ${row}: expected at least one hard answer, got none`, {
    hint: 'Evaluate on validation or test queries; training queries have easy answers only.',
  });
}
