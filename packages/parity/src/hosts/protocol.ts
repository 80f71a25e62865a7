import type { Query } from '@fuzzqe/core/query';
import type { PlanKind, Ranking } from '@fuzzqe/engine';

/** What a runtime elsewhere is asked: queries of one profile. */
export interface RankRequest {
  readonly profile: string;
  readonly queries: readonly Query[];
  readonly k: number;
  readonly plan: PlanKind;
}

/** What it answers: rankings, or what went wrong. */
export type RankReply =
  | { readonly runtime: string; readonly rankings: readonly JsonRanking[] }
  | { readonly error: string };

/** A ranking as JSON; numbers that JSON does not have are text. */
export interface JsonRanking {
  readonly embedding: readonly JsonNumber[];
  readonly ids: readonly number[];
  readonly scores: readonly JsonNumber[];
}

type JsonNumber = number | string;

/** A float32 number as JSON gives back the same float32 number. */
export function toJson({ embedding, ids, scores }: Ranking): JsonRanking {
  const numbers = (values: Float32Array): JsonNumber[] =>
    Array.from(values, (value) => (Number.isFinite(value) ? value : String(value)));
  return { embedding: numbers(embedding), ids: Array.from(ids), scores: numbers(scores) };
}

/** Returns the ranking that `toJson` wrote. */
export function fromJson({ embedding, ids, scores }: JsonRanking): Ranking {
  return {
    embedding: Float32Array.from(embedding, Number),
    ids: Int32Array.from(ids),
    scores: Float32Array.from(scores, Number),
  };
}
