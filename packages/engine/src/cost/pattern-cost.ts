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
  const { k = 10, order, links = defaultLinks, explain = false, exclude } = options;
  const count = options.count === true ? k : undefined;
  // All answers are found before they are sorted.
  const found = order === undefined ? k : mostTuples;
  const cost = estimatePatternCost(
    planPattern(pattern, options.exists),
    { k: found, links, count, exclude },
    size,
  );
  // Each variable of each answer is explained by links of its own.
  return explain ? 2 * cost : cost;
}

/** Fewer links than these are not taken to keep a pattern within a limit. */
const leastLinks = 32;

/**
 * The options of a pattern, and what it costs, within a limit: where the options name no number of links, as many are computed as the limit allows.
 *
 * Ranges: costs in milliseconds.
 *
 * @throws FuzzError `cost`: it would take too long. As `patternCost`.
 */
export function fitPatternCost<Options extends PatternOptions>(
  { costOfPattern }: { costOfPattern(pattern: Pattern, options: PatternOptions): number },
  pattern: Pattern,
  options: Options,
  limit: number,
  path = '$.pattern',
): { readonly options: Options; readonly cost: number } {
  let fitted = options;
  let cost = costOfPattern(pattern, fitted);
  for (
    let links = defaultLinks / 2;
    cost > limit && options.links === undefined && links >= leastLinks;
    links /= 2
  ) {
    fitted = { ...options, links };
    cost = costOfPattern(pattern, fitted);
  }
  if (cost <= limit) return { options: fitted, cost };
  throw new FuzzError(
    'cost',
    `pattern: expected a cost of at most ${limit} ms, got an estimate of ${Math.ceil(cost)} ms`,
    {
      path,
      hint: 'Ask with fewer links (option links), a smaller k, or without explain; or raise costLimit.',
    },
  );
}
