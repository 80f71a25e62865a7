import { FuzzError, type KnowledgeGraph } from '@fuzzqe/core';
import { checkPattern, type Pattern, planPattern } from '@fuzzqe/core/query';
import { checkPatternOptions, defaultLinks, mostTuples } from '../patterns/create-matching.ts';
import type { PatternOptions } from '../patterns/pattern-answer.ts';
import { type CostSize, estimatePatternCost } from './estimate-cost.ts';

/**
 * How long a pattern takes at most, in milliseconds of one core.
 *
 * @throws FuzzError `query`, `range` or `usage`: the pattern or the options.
 */
export function patternCost(
  pattern: Pattern,
  options: PatternOptions,
  facts: KnowledgeGraph,
  size: CostSize,
): number {
  checkPatternOptions(options);
  checkPattern(pattern, facts);
  const { k = 10, order, links = defaultLinks, explain = false } = options;
  // All answers are found before they are sorted.
  const found = order === undefined ? k : mostTuples;
  const cost = estimatePatternCost(planPattern(pattern), { k: found, links }, size);
  // Each variable of each answer is explained by links of its own.
  return explain ? 2 * cost : cost;
}

/**
 * Refuses a pattern that would take too long, before it is answered.
 *
 * Ranges: both in milliseconds.
 *
 * @throws FuzzError `cost`.
 */
export function checkPatternCost(cost: number, limit: number, path = '$.pattern'): void {
  if (cost <= limit) return;
  throw new FuzzError(
    'cost',
    `pattern: expected a cost of at most ${limit} ms, got an estimate of ${Math.ceil(cost)} ms`,
    {
      path,
      hint: 'Ask with fewer links (option links), a smaller k, or without explain; or raise costLimit.',
    },
  );
}
