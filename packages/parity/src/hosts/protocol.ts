import type { Query } from '@fuzzqe/core/query';
import type { Exclusion, PlanKind, Ranking } from '@fuzzqe/engine';

/** How queries are ranked by their embeddings. */
export interface RankChoice {
  readonly k: number;
  readonly plan: PlanKind;
  /** Default `none`. */
  readonly exclude?: Exclusion;
}

/** What a runtime elsewhere is asked: queries of one profile, ranked by their embeddings or answered by fuzzy sets. */
export interface HostRequest {
  readonly profile: string;
  readonly queries: readonly Query[];
  /** Absent where the degrees of all entities are asked for. */
  readonly rank?: RankChoice;
}

/** What it answers, or what went wrong. */
export type HostReply =
  | { readonly runtime: string; readonly rankings: readonly JsonRanking[] }
  | { readonly runtime: string; readonly sets: readonly string[] }
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

/** The degrees of all entities as base64: a set is too long for numbers as text. */
export function toText(degrees: Float32Array): string {
  const bytes = new Uint8Array(degrees.buffer, degrees.byteOffset, degrees.byteLength);
  let text = '';
  for (let from = 0; from < bytes.length; from += 4096)
    text += String.fromCharCode(...bytes.subarray(from, from + 4096));
  return btoa(text);
}

/** Returns the degrees that `toText` wrote. */
export function fromText(text: string): Float32Array {
  return new Float32Array(Uint8Array.from(atob(text), (character) => character.charCodeAt(0)).buffer);
}
