import type { Landing, NextJudgement } from '@fuzzqe/api';

/** A link by the keys of its names. */
export interface LinkKeys {
  readonly head: string;
  readonly relation: string;
  readonly tail: string;
}

/** A link that is worth a verdict: `teaches` is the entropy of the degree over 1 + the verdicts on the relation. */
export type NextLink = NextJudgement;

/** What the model said of the links that were judged, and what people found. */
export interface Drift {
  readonly accepted: number;
  readonly rejected: number;
  /** The mean of the degrees, in [0, 1]. */
  readonly said: number;
  /** The share of accepted links, in [0, 1]. */
  readonly found: number;
  /** How far `found` is from `said` by chance where the degrees are right: a standard deviation. */
  readonly spread: number;
}

/**
 * A server that takes verdicts on links.
 *
 * Everything rejects with a SourceError; one with `isForbidden` says that the server takes no verdicts of this caller.
 */
export interface Judging {
  /** What speaks against a link as a fact, for people. */
  conflicts(link: LinkKeys): Promise<readonly string[]>;
  /** Accepts or rejects a link, in spite of conflicts where it is said; whether the server did not know it before. */
  judge(link: LinkKeys, does: 'accept' | 'reject', inSpite?: boolean): Promise<boolean>;
  /** Takes a fact, or the rejection of a link, back. */
  takeBack(link: LinkKeys): Promise<void>;
  /** Links whose verdict teaches most: of an entity, or of the whole graph. */
  next(options: {
    readonly entity: string | undefined;
    readonly limit: number;
    readonly signal: AbortSignal;
  }): Promise<readonly NextLink[]>;
  drift(signal: AbortSignal): Promise<Drift>;
}

/** How an API is asked. */
export interface Calls {
  get<T>(url: string, parameters: object, signal: AbortSignal | undefined): Promise<T>;
  post<T>(url: string, body: object, signal: AbortSignal | undefined): Promise<T>;
}

/** Where verdicts are given. */
const path = '/v1/judgements';

/** The verdicts of an API; nothing where its root does not offer them. */
export async function httpJudging(
  address: string,
  { get, post }: Calls,
  signal: AbortSignal | undefined,
): Promise<Judging | undefined> {
  const { endpoints } = await get<Partial<Landing>>(`${address}/`, {}, signal);
  if (endpoints?.[`POST ${path}`] === undefined) return undefined;
  const root = `${address}${path}`;
  return {
    async conflicts(link) {
      const url = `${root}?check=true`;
      const body = { accept: [link] };
      const { conflicts } = await post<{ conflicts: readonly { message: string }[] }>(url, body, undefined);
      return conflicts.map(({ message }) => message);
    },
    async judge(link, does, inSpite = false) {
      const url = inSpite ? `${root}?conflicts=accept` : root;
      const { unchanged } = await post<{ unchanged: number }>(url, { [does]: [link] }, undefined);
      return unchanged === 0;
    },
    async takeBack(link) {
      await post(`${address}/v1/facts`, { remove: [link] }, undefined);
    },
    async next({ signal: until, ...wanted }) {
      const { results } = await get<{ results: readonly NextLink[] }>(`${root}/next`, wanted, until);
      return results;
    },
    drift: (until) => get<Drift>(root, {}, until),
  };
}
