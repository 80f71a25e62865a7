import { FuzzError } from '../errors.ts';
import { EntitySet } from '../kg/entity-set.ts';

/**
 * The filtered rank of every target: its place by score among all entities but the other targets and the excluded.
 *
 * Formula: `rank(t) = 1 + #{c : s_c > s_t} + #{c : s_c = s_t} / 2` over the candidates c, which is the mean of the
 * optimistic rank (t before its ties) and the pessimistic rank (t after them).
 * Shapes: scores [entities]; the result has a rank for each target, in the targets' order.
 * Ranges: ranks in [1, entities]. Excluded may contain targets: a query's easy and hard answers will do.
 *
 * @throws FuzzError `range`: a target or excluded entity without a score, or a score that is not a number.
 * Source: the rule of BetaE's evaluation, with ties as in PyKEEN's realistic rank.
 */
export function filteredRanks(
  scores: Float32Array | Float64Array,
  targets: ArrayLike<number>,
  excluded: Iterable<number>,
): Float64Array {
  const left = leftOut(scores.length, targets, excluded);
  const levels = distinctAscending(scores, targets);

  // A candidate whose score exceeds the first p levels stands before all targets of these levels and no others.
  // So it is enough to count the candidates by p, and to add up from above: one search a candidate, whatever the
  // number of targets.
  const exceeds = new Float64Array(levels.length + 1);
  const equals = new Float64Array(levels.length + 1);
  const lowest = levels[0] ?? Number.POSITIVE_INFINITY;
  for (let candidate = 0; candidate < scores.length; candidate++) {
    const score = scores[candidate]!;
    // With a good model most candidates end here.
    if (score < lowest) continue;
    if (Number.isNaN(score)) throw notANumber(candidate);
    if ((left.words[candidate >>> 5]! & (1 << (candidate & 31))) !== 0) continue;
    const level = lowerBound(levels, score);
    exceeds[level]!++;
    if (levels[level] === score) equals[level]!++;
  }
  const better = new Float64Array(levels.length);
  let above = 0;
  for (let level = levels.length - 1; level >= 0; level--) {
    above += exceeds[level + 1]!;
    better[level] = above;
  }

  return Float64Array.from(targets, (target) => {
    const level = lowerBound(levels, scores[target]!);
    return 1 + better[level]! + equals[level]! / 2;
  });
}

function leftOut(entityCount: number, targets: ArrayLike<number>, excluded: Iterable<number>): EntitySet {
  const left =
    excluded instanceof EntitySet && excluded.universe === entityCount
      ? excluded.clone()
      : EntitySet.from(entityCount, excluded);
  for (let i = 0; i < targets.length; i++) left.add(targets[i]!);
  return left;
}

/** The targets' scores, each once. */
function distinctAscending(scores: Float32Array | Float64Array, targets: ArrayLike<number>): Float64Array {
  const sorted = Float64Array.from(targets, (target) => {
    const score = scores[target]!;
    if (Number.isNaN(score)) throw notANumber(target);
    return score;
  }).sort();
  return sorted.filter((score, i) => i === 0 || score !== sorted[i - 1]);
}

/** The number of levels below a score. */
function lowerBound(levels: Float64Array, score: number): number {
  let low = 0;
  let high = levels.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (levels[middle]! < score) low = middle + 1;
    else high = middle;
  }
  return low;
}

function notANumber(entity: number): FuzzError {
  return new FuzzError('range', `score of entity ${entity}: expected a number, got NaN`, {
    path: `scores[${entity}]`,
    hint: 'A NaN in the scores usually means that training diverged: lower the learning rate.',
  });
}
