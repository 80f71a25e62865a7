import { expectOptions, FuzzError } from '@fuzzqe/core';
import type { Pattern } from '@fuzzqe/core/query';
import { createMetrics, filteredRanks, type StructureMetrics } from '@fuzzqe/core/ranking';
import type { AnsweredPattern } from '@fuzzqe/data';

/** The best answers of a pattern. */
export interface RankedEntities {
  /** Best first. */
  readonly ids: Int32Array;
  readonly degrees: Float32Array;
  /** Whether no entity that is left out is better than the last of `ids`. */
  readonly exact: boolean;
}

/** Ranks the answers of a pattern of one answer variable, without the answers that are excluded. */
export type PatternRanker = (
  pattern: Pattern,
  wanted: { readonly k: number; readonly excluded: Int32Array },
) => Promise<RankedEntities>;

/** What was measured of the patterns of one type. */
export interface PatternMetrics extends StructureMetrics {
  /** How many patterns were answered exactly. */
  readonly exact: number;
}

/** What to evaluate, on which patterns. */
export interface PatternEvaluationOptions {
  readonly patterns: readonly AnsweredPattern[];
  readonly rank: PatternRanker;
  /** How many entities there are to rank. */
  readonly entityCount: number;
  /** How many answers are ranked, in addition to the easy and hard answers. Default 200. */
  readonly k?: number;
  readonly onProgress?: (done: number, total: number) => void;
  readonly signal?: AbortSignal;
}

/**
 * Ranks every hard answer among all entities that are no other answer of its pattern, and gives the metrics of each type, in the order of the patterns.
 *
 * Means and ties are those of `evaluateRanking`. An answer that the ranking does not hold has the last place of all, so that figures are never
 * better than those of an exact ranking of all entities by more than ties among the last.
 *
 * @throws FuzzError `data`: no patterns. `interrupted`: the signal was raised.
 * @example
 * const patterns = await readPatterns('data/queries/test.patterns.jsonl', vocabulary);
 * const rank = async () => ({ ids: Int32Array.of(7), degrees: Float32Array.of(1), exact: true });
 * const report = await evaluatePatterns({ patterns, rank, entityCount: graph.entityCount });
 */
export async function evaluatePatterns(
  options: PatternEvaluationOptions,
): Promise<Readonly<Record<string, PatternMetrics>>> {
  expectOptions('evaluatePatterns', options, ['patterns', 'rank', 'entityCount']);
  const { patterns, rank, entityCount, k = 200, onProgress = () => {}, signal } = options;
  if (patterns.length === 0)
    throw new FuzzError('data', 'evaluation: expected patterns, got none', {
      hint: 'Sample some: fuzzqe data sample … --patterns 250.',
    });
  const metrics = createMetrics();
  /** How many patterns of each type were answered exactly. */
  const exact = new Map<string, number>();
  for (const [done, { type, pattern, easy, hard }] of patterns.entries()) {
    if (signal?.aborted)
      throw new FuzzError('interrupted', `evaluation: stopped at ${done} of ${patterns.length} patterns`);
    const found = await rank(pattern, { k: k + hard.length, excluded: easy });
    const scores = new Float32Array(entityCount);
    found.ids.forEach((id, place) => {
      scores[id] = found.degrees[place]!;
    });
    const last = entityCount - easy.length - (hard.length - 1);
    const ranks = filteredRanks(scores, hard, easy).map((place, i) =>
      scores[hard[i]!] === 0 ? last : place,
    );
    metrics.add(type, ranks);
    exact.set(type, (exact.get(type) ?? 0) + Number(found.exact));
    onProgress(done + 1, patterns.length);
  }
  const { structures, own } = metrics.report();
  // A type may have the name of a structure.
  const all: Readonly<Record<string, StructureMetrics>> = { ...structures, ...own };
  return Object.fromEntries(Array.from(exact, ([type, count]) => [type, { ...all[type]!, exact: count }]));
}
