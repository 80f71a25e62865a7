import { createMetrics, type StructureMetrics } from '@fuzzqe/core/ranking';
import { noDerivation } from '@fuzzqe/data';

/** The figures of those hard answers of a structure that lack the same number of links. */
export interface StratumMetrics extends StructureMetrics {
  /** How many links are missing; null where the larger graph does not derive the answer. */
  readonly missing: number | null;
  /** Which share of the structure's hard answers they are, in [0, 1]. */
  readonly share: number;
}

/** The strata of each structure, the fewest missing links first. */
export type StrataReport = Readonly<Record<string, readonly StratumMetrics[]>>;

/** Gathers the ranks of an evaluation by the number of missing links. */
export interface StrataAccumulator {
  /** Adds one query. Shapes: ranks and missing are parallel. */
  add(structure: string, ranks: Float64Array, missing: Uint8Array): void;
  report(): StrataReport;
}

/**
 * Starts a stratified evaluation.
 *
 * Within a stratum the mean is over a query's answers in it, then over the queries that have any, as for all answers.
 */
export function createStrata(): StrataAccumulator {
  const strata = new Map<number, ReturnType<typeof createMetrics>>();
  return {
    add(structure, ranks, missing) {
      for (const count of new Set(missing)) {
        const metrics = strata.get(count) ?? createMetrics();
        strata.set(count, metrics);
        metrics.add(
          structure,
          ranks.filter((_, i) => missing[i] === count),
        );
      }
    },
    report() {
      const found = new Map<string, Omit<StratumMetrics, 'share'>[]>();
      for (const [count, metrics] of [...strata].sort(([a], [b]) => a - b)) {
        const { structures, own = {} } = metrics.report();
        for (const [name, of] of Object.entries({ ...structures, ...own })) {
          const missing = count === noDerivation ? null : count;
          found.set(name, [...(found.get(name) ?? []), { missing, ...of }]);
        }
      }
      return Object.fromEntries(
        [...found].map(([name, all]) => {
          const answers = all.reduce((sum, stratum) => sum + stratum.answers, 0);
          return [name, all.map((stratum) => ({ ...stratum, share: stratum.answers / answers }))];
        }),
      );
    },
  };
}
