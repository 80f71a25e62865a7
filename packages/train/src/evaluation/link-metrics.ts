import type { KnowledgeGraph } from '@fuzzqe/core';
import { createMetrics, type StructureMetrics } from '@fuzzqe/core/ranking';
import { type KnownHalf, knownHalves, lackedHalves } from '@fuzzqe/data';

/** The figures of the 1p queries of one relation. */
export interface RelationMetrics extends StructureMetrics {
  readonly relation: number;
}

/** The figures of the answers of 1p queries of which the known facts have the same halves. */
export interface HalfMetrics extends StructureMetrics {
  readonly known: KnownHalf;
  /** Which share of all these answers they are, in [0, 1]. */
  readonly share: number;
}

/** Figures of 1p queries. */
export interface LinkReport {
  /** The lowest MRR first; of equal ones the relation with more answers, then the lower id. */
  readonly relations: readonly RelationMetrics[];
  /** In the order of `knownHalves`; what has no answer is absent. */
  readonly halves: readonly HalfMetrics[];
}

/** The ranked hard answers of one 1p query. */
export interface RankedLink {
  readonly head: number;
  readonly relation: number;
  /** Parallel to `ranks`. */
  readonly tails: ArrayLike<number>;
  readonly ranks: Float64Array;
}

/** Gathers the ranks of 1p queries, of whatever scores them. */
export interface LinkMetrics {
  add(link: RankedLink): void;
  report(): LinkReport;
}

/** Starts figures of links by relation and by what the known facts have of them; means are those of `createMetrics`. */
export function createLinkMetrics(known: Pick<KnowledgeGraph, 'tails'>): LinkMetrics {
  const byRelation = createMetrics();
  const byHalf = createMetrics();
  return {
    add({ head, relation, tails, ranks }) {
      byRelation.add(`${relation}`, ranks);
      const halves = Array.from(tails, (tail) => knownHalves[lackedHalves(known, head, relation, tail)]!);
      for (const half of new Set(halves))
        byHalf.add(
          half,
          ranks.filter((_, i) => halves[i] === half),
        );
    },
    report() {
      const relations = Object.entries(byRelation.report().own ?? {})
        .map(([relation, metrics]): RelationMetrics => ({ relation: Number(relation), ...metrics }))
        .sort((a, b) => a.mrr - b.mrr || b.answers - a.answers || a.relation - b.relation);
      const found = byHalf.report().own ?? {};
      const answers = Object.values(found).reduce((sum, metrics) => sum + metrics.answers, 0);
      const halves = knownHalves.flatMap((half): HalfMetrics[] => {
        const metrics = found[half];
        return metrics === undefined ? [] : [{ known: half, share: metrics.answers / answers, ...metrics }];
      });
      return { relations, halves };
    },
  };
}
