import type { Ranked, RankedAnswer } from '@fuzzqe/bundle';
import { messageOf } from '@fuzzqe/core';
import type { PatternPlan, Query } from '@fuzzqe/core/query';
import type { EmbeddingRequest, PlanKind, Ranker } from '@fuzzqe/engine';
import { patternBudget, rankedTuples } from '../cases/draw-patterns.ts';

/** Whether a runtime is present here. */
export type Availability = { readonly present: true } | { readonly present: false; readonly reason: string };

/** The bundle that is compared. */
export interface ParityTarget {
  readonly directory: string;
  readonly profile: string;
}

/** How queries are ranked by their embeddings. */
export interface RankChoice extends Pick<EmbeddingRequest, 'k' | 'exclude'> {
  readonly plan: PlanKind;
}

/** Something that answers queries, in both modes. */
export interface Answerer {
  /** The runtime and device in use, for people. */
  readonly runtime: string;
  rank(queries: readonly Query[], options: RankChoice): Promise<readonly RankedAnswer[]>;
  /** The fuzzy set of each query: the degree of every entity [|E|]. */
  degrees(queries: readonly Query[]): Promise<readonly Float32Array[]>;
  /** The best k of these sets, by the graphs that compute no more than they take; fewer where no other degree is above 0. */
  best(queries: readonly Query[], k: number): Promise<readonly Ranked[]>;
  /** The best k tuples of each pattern, as `rankedTuples`. */
  match(plans: readonly PatternPlan[], k: number): Promise<readonly Ranked[]>;
  /** What has ended, so that it answers nothing more, where that is known: a program that was killed gives no wrong answers. */
  ended?(): string | undefined;
  close(): Promise<void>;
}

/** A ranker as an answerer; queries are not checked. */
export function rankerAnswerer(
  ranker: Ranker,
  close: () => Promise<void> = () => ranker.close(),
  ended?: () => string | undefined,
): Answerer {
  return {
    ...(ended === undefined ? {} : { ended }),
    get runtime() {
      return ranker.runtime;
    },
    async rank(queries, options) {
      const found = await ranker.rank(
        queries.map((query) => ({ task: 'embedding', query, withEmbedding: true, ...options }) as const),
      );
      return found.map(({ ids, scores, embedding = [] }) => ({ ids, scores, embedding }));
    },
    async degrees(queries) {
      const found = await ranker.rank(queries.map((query) => ({ task: 'degrees', query }) as const));
      return found.map(({ degrees }) => degrees);
    },
    async best(queries, k) {
      const found = await ranker.rank(queries.map((query) => ({ task: 'sets', query, k }) as const));
      return found.map(({ ids, degrees }) => ({ ids, scores: degrees }));
    },
    async match(plans, k) {
      const wanted = { k, ...patternBudget, least: 0, answersFrom: 0 };
      const found = await ranker.rank(plans.map((plan) => ({ task: 'pattern', plan, ...wanted }) as const));
      return found.map(rankedTuples);
    },
    close,
  };
}

/** A runtime that answers can be compared on. */
export interface ParityRuntime {
  /** What it is, in a few words. */
  readonly description: string;
  /** Whether it is a program of its own, which starts without the bundle. Default: it starts on the bundle. */
  readonly isProgram?: true;
  available(target: ParityTarget): Promise<Availability>;
  /**
   * The signal ends a program of its own, and with it what it was asked.
   *
   * @throws FuzzError: as `openEngine`, and `runtime` where the runtime does not start.
   */
  open(target: ParityTarget, signal?: AbortSignal): Promise<Answerer>;
}

/** A runtime that is not there. */
export function absent(reason: string): Availability {
  return { present: false, reason };
}

/** The first line of what went wrong. */
export function firstLine(error: unknown): string {
  return messageOf(error).split('\n', 1)[0]!;
}
