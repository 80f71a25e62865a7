import { FuzzError } from '../errors.ts';
import { type StructureName, structureNames } from '../query/structures.ts';
import { type AverageName, averages } from './averages.ts';

/** How well answers were ranked, as fractions in [0, 1]. */
export interface RankingMetrics {
  /** The mean reciprocal rank. */
  readonly mrr: number;
  /** The fraction of ranks that are at most 1, 3, 10. */
  readonly hits1: number;
  readonly hits3: number;
  readonly hits10: number;
}

/** The metrics of one structure's queries. */
export interface StructureMetrics extends RankingMetrics {
  readonly queries: number;
  /** Ranked answers of all its queries together. */
  readonly answers: number;
}

/** The mean of the metrics of several structures, each counting the same. */
export interface AverageMetrics extends RankingMetrics {
  /** Over which structures: those of the kind that had queries. */
  readonly structures: readonly StructureName[];
}

/** All metrics of an evaluation; what had no query is absent. */
export interface MetricsReport {
  readonly structures: Readonly<Partial<Record<StructureName, StructureMetrics>>>;
  /** Of structures that are none of the 14, by their names, in the order in which they came; they are in no average. */
  readonly own?: Readonly<Record<string, StructureMetrics>>;
  /** The paper's avg_p: over the structures without negation. */
  readonly withoutNegation?: AverageMetrics;
  /** The paper's avg_n: over the structures with negation. */
  readonly withNegation?: AverageMetrics;
}

/** Gathers the ranks of an evaluation. */
export interface MetricsAccumulator {
  /**
   * Adds one query by the ranks of its hard answers; its structure is one of the 14 or any other name.
   *
   * @throws FuzzError `range`: no ranks, or a rank below 1.
   */
  add(structure: string, ranks: ArrayLike<number>): void;
  report(): MetricsReport;
}

interface Sums extends Record<keyof RankingMetrics, number> {
  queries: number;
  answers: number;
}

/**
 * Starts an evaluation.
 *
 * Formula: for each structure, the mean over its queries of the mean over the query's answers of `1 / rank` (MRR)
 * and of `[rank ≤ k]` (Hits@k); then the mean over structures.
 * Source: BetaE (NeurIPS 2020), section 5.1; FuzzQE (AAAI 2022), section 5.
 */
export function createMetrics(): MetricsAccumulator {
  const sums = new Map<string, Sums>();
  return {
    add(structure, ranks) {
      const query = ofOneQuery(ranks);
      const sum = sums.get(structure) ?? { queries: 0, answers: 0, mrr: 0, hits1: 0, hits3: 0, hits10: 0 };
      sum.queries++;
      sum.answers += ranks.length;
      for (const metric of metricNames) sum[metric] += query[metric];
      sums.set(structure, sum);
    },
    report() {
      const found = structureNames.flatMap((name) => {
        const sum = sums.get(name);
        return sum === undefined ? [] : [{ name, metrics: perQuery(sum) }];
      });
      const average = (of: AverageName): AverageMetrics | undefined => {
        const kind = found.filter(({ name }) => averages[of].structures.includes(name));
        if (kind.length === 0) return undefined;
        const metrics = meanMetrics(kind.map(({ metrics }) => metrics));
        return { structures: kind.map(({ name }) => name), ...metrics };
      };
      const own = [...sums].filter(([name]) => !structureNames.some((each) => each === name));
      const withoutNegation = average('withoutNegation');
      const withNegation = average('withNegation');
      return {
        structures: Object.fromEntries(found.map(({ name, metrics }) => [name, metrics])),
        ...(own.length === 0
          ? {}
          : { own: Object.fromEntries(own.map(([name, sum]) => [name, perQuery(sum)])) }),
        ...(withoutNegation === undefined ? {} : { withoutNegation }),
        ...(withNegation === undefined ? {} : { withNegation }),
      };
    },
  };
}

const metricNames = ['mrr', 'hits1', 'hits3', 'hits10'] as const;

function ofOneQuery(ranks: ArrayLike<number>): RankingMetrics {
  const all = Array.from(ranks);
  const bad = all.findIndex((rank) => !(rank >= 1));
  if (all.length === 0 || bad >= 0) {
    const got = all.length === 0 ? 'no ranks' : `${all[bad]} at ${bad}`;
    throw new FuzzError('range', `ranks of a query: expected one or more, each at least 1, got ${got}`, {
      path: 'ranks',
      hint: 'Leave out queries without hard answers.',
    });
  }
  const share = (most: number): number => all.filter((rank) => rank <= most).length / all.length;
  return {
    mrr: all.reduce((sum, rank) => sum + 1 / rank, 0) / all.length,
    hits1: share(1),
    hits3: share(3),
    hits10: share(10),
  };
}

function perQuery({ queries, answers, mrr, hits1, hits3, hits10 }: Sums): StructureMetrics {
  return {
    queries,
    answers,
    mrr: mrr / queries,
    hits1: hits1 / queries,
    hits3: hits3 / queries,
    hits10: hits10 / queries,
  };
}

/** The mean of each metric, each item counting the same. */
export function meanMetrics(all: readonly RankingMetrics[]): RankingMetrics {
  const of = (metric: keyof RankingMetrics): number =>
    all.reduce((sum, metrics) => sum + metrics[metric], 0) / all.length;
  return { mrr: of('mrr'), hits1: of('hits1'), hits3: of('hits3'), hits10: of('hits10') };
}
