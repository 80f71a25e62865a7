import { FuzzError } from '../errors.ts';
import { checkId } from '../kg/ids.ts';

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
 * @example
 * filteredRanks(Float32Array.of(0.9, 0.5, 0.7), [2], [0]); // Float64Array [ 1 ]
 */
export function filteredRanks(
  scores: Float32Array | Float64Array,
  targets: ArrayLike<number>,
  excluded: Iterable<number>,
): Float64Array {
  const levels = distinctAscending(scores, targets);
  const candidates = atLeast(scores, levels[0] ?? Number.POSITIVE_INFINITY);
  const better = new Float64Array(levels.length);
  const equal = new Float64Array(levels.length);
  if (levels.length <= fewLevels) countByLevel(candidates, levels, better, equal);
  else countBySearch(candidates, levels, better, equal);

  // Few are left out: taking them back costs less than asking of every candidate whether it is one of them.
  for (const entity of leftOut(scores.length, targets, excluded)) {
    const score = scores[entity]!;
    for (let level = 0; level < levels.length && levels[level]! <= score; level++) {
      if (levels[level] === score) equal[level]!--;
      else better[level]!--;
    }
  }
  return Float64Array.from(targets, (target) => {
    const level = lowerBound(levels, scores[target]!);
    return 1 + better[level]! + equal[level]! / 2;
  });
}

/** Up to how many levels a comparison with each costs less than a search among them. */
const fewLevels = 16;

/** The scores that reach the lowest level, in order: with a good model that is few of them. */
function atLeast(scores: Float32Array | Float64Array, lowest: number): Float32Array | Float64Array {
  const reached = new (scores instanceof Float32Array ? Float32Array : Float64Array)(scores.length);
  let count = 0;
  let bad = 0;
  // No branch: which way a score goes is a matter of chance, and a wrong guess costs more than ten comparisons.
  for (let i = 0; i < scores.length; i++) {
    const score = scores[i]!;
    reached[count] = score;
    count += Number(score >= lowest);
    bad += Number(Number.isNaN(score));
  }
  if (bad > 0) throw notANumber(scores.findIndex(Number.isNaN));
  return reached.subarray(0, count);
}

/** For each level, how many scores exceed it and how many equal it, two levels a pass. */
function countByLevel(
  scores: Float32Array | Float64Array,
  levels: Float64Array,
  better: Float64Array,
  equal: Float64Array,
): void {
  for (let level = 0; level < levels.length; level += 2) {
    const low = levels[level]!;
    const high = levels[level + 1] ?? Number.POSITIVE_INFINITY;
    let [aboveLow, aboveHigh, atLow, atHigh] = [0, 0, 0, 0];
    for (let i = 0; i < scores.length; i++) {
      const score = scores[i]!;
      aboveLow += Number(score > low);
      atLow += Number(score === low);
      aboveHigh += Number(score > high);
      atHigh += Number(score === high);
    }
    better[level] = aboveLow;
    equal[level] = atLow;
    // There is no such element where the number of levels is odd: writing to it does nothing.
    better[level + 1] = aboveHigh;
    equal[level + 1] = atHigh;
  }
}

/**
 * The same for many levels.
 *
 * A score that exceeds the first p levels exceeds all of these and no others. So it is enough to count the scores by
 * p, and to add up from above: one search a score, whatever the number of levels.
 */
function countBySearch(
  scores: Float32Array | Float64Array,
  levels: Float64Array,
  better: Float64Array,
  equal: Float64Array,
): void {
  const exceeds = new Float64Array(levels.length + 1);
  for (const score of scores) {
    const level = lowerBound(levels, score);
    exceeds[level]!++;
    if (levels[level] === score) equal[level]!++;
  }
  let above = 0;
  for (let level = levels.length - 1; level >= 0; level--) {
    above += exceeds[level + 1]!;
    better[level] = above;
  }
}

/** Targets and excluded, each once. */
function leftOut(entityCount: number, targets: ArrayLike<number>, excluded: Iterable<number>): Set<number> {
  const left = new Set(excluded);
  for (let i = 0; i < targets.length; i++) left.add(targets[i]!);
  for (const entity of left) checkId('entity', entity, entityCount, 'excluded');
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
