/** The four measures of docs/evaluation.md, as fractions. */
export interface OracleMetrics {
  readonly mrr: number;
  readonly hits1: number;
  readonly hits3: number;
  readonly hits10: number;
}

/**
 * The filtered rank of a hard answer: among the entities that are no other answer, the mean rank of all that score
 * what it does.
 */
export function filteredRank(scores: readonly number[], answers: ReadonlySet<number>, hard: number): number {
  let better = 0;
  let equal = 0;
  for (let entity = 0; entity < scores.length; entity += 1) {
    if (entity === hard || answers.has(entity)) continue;
    if (scores[entity]! > scores[hard]!) better += 1;
    else if (scores[entity] === scores[hard]) equal += 1;
  }
  return 1 + better + equal / 2;
}

/** The means over a query's hard answers. */
export function queryMetrics(
  scores: readonly number[],
  easy: readonly number[],
  hard: readonly number[],
): OracleMetrics {
  const answers = new Set([...easy, ...hard]);
  const ranks = hard.map((answer) => filteredRank(scores, answers, answer));
  const share = (limit: number): number => mean(ranks.map((rank) => (rank <= limit ? 1 : 0)));
  return { mrr: mean(ranks.map((rank) => 1 / rank)), hits1: share(1), hits3: share(3), hits10: share(10) };
}

/** The means over queries, or over structures. */
export function meanMetrics(parts: readonly OracleMetrics[]): OracleMetrics {
  const of = (name: keyof OracleMetrics): number => mean(parts.map((part) => part[name]));
  return { mrr: of('mrr'), hits1: of('hits1'), hits3: of('hits3'), hits10: of('hits10') };
}

function mean(values: readonly number[]): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum / values.length;
}
