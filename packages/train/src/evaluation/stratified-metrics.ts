import { createMetrics, type StructureMetrics } from '@fuzzqe/core/ranking';
import { type KnownHalf, knownHalves, noDerivation } from '@fuzzqe/data';

/** The figures of some of a structure's hard answers. */
interface Stratum extends StructureMetrics {
  /** Which share of the structure's hard answers they are, in [0, 1]. */
  readonly share: number;
}

/** The figures of those hard answers of a structure that lack the same number of links. */
export interface StratumMetrics extends Stratum {
  /** How many links are missing; null where the larger graph does not derive the answer. */
  readonly missing: number | null;
}

/** The figures of those hard answers of a structure of whose missing links the smaller graph has the same half-links. */
export interface HalfStratumMetrics extends Stratum {
  /** Null where the larger graph does not derive the answer. */
  readonly known: KnownHalf | null;
}

/** The strata of each structure, the fewest missing links first. */
export type StrataReport = Readonly<Record<string, readonly StratumMetrics[]>>;

/** The strata of each structure, in the order of `knownHalves`. */
export type HalfStrataReport = Readonly<Record<string, readonly HalfStratumMetrics[]>>;

/** Gathers the ranks of an evaluation by a number of each answer. */
export interface StrataAccumulator {
  /** Adds one query. Shapes: ranks and numbers are parallel. */
  add(structure: string, ranks: Float64Array, numbers: Uint8Array): void;
  /** The strata of each structure, the lowest number first; `name` says what a number is. */
  report<T>(name: (number: number | null) => T): Readonly<Record<string, readonly (Stratum & T)[]>>;
}

/** What a number of missing links, and a place in `knownHalves`, is called in a report. */
export const namedMissing = (missing: number | null): { readonly missing: number | null } => ({ missing });
export const namedHalves = (place: number | null): { readonly known: KnownHalf | null } => ({
  known: place === null ? null : knownHalves[place]!,
});

/**
 * Starts a stratified evaluation.
 *
 * Within a stratum the mean is over a query's answers in it, then over the queries that have any, as for all answers.
 */
export function createStrata(): StrataAccumulator {
  const strata = new Map<number, ReturnType<typeof createMetrics>>();
  /** In the order in which they came. */
  const names = new Set<string>();
  return {
    add(structure, ranks, numbers) {
      names.add(structure);
      for (const number of new Set(numbers)) {
        const metrics = strata.get(number) ?? createMetrics();
        strata.set(number, metrics);
        metrics.add(
          structure,
          ranks.filter((_, i) => numbers[i] === number),
        );
      }
    },
    report<T>(name: (number: number | null) => T) {
      const found = new Map<string, (StructureMetrics & T)[]>([...names].map((name) => [name, []]));
      for (const [number, metrics] of [...strata].sort(([a], [b]) => a - b)) {
        const { structures, own = {} } = metrics.report();
        for (const [structure, of] of Object.entries({ ...structures, ...own })) {
          const named = name(number === noDerivation ? null : number);
          found.get(structure)?.push({ ...named, ...of });
        }
      }
      return Object.fromEntries(
        [...found].map(([structure, all]) => {
          const answers = all.reduce((sum, stratum) => sum + stratum.answers, 0);
          return [structure, all.map((stratum) => ({ ...stratum, share: stratum.answers / answers }))];
        }),
      );
    },
  };
}
