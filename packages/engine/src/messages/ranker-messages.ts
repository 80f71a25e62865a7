import { FuzzError, receivedError, type SentError, sentError } from '@fuzzqe/core';
import type { PlanChoice } from '../embedding/plan.ts';
import type { CacheCounters } from '../ranker/counters.ts';
import type { FactsEpoch } from '../ranker/facts-epoch.ts';
import type { AnswerMode, Ranker, RankRequest, RankResult, ResultOf } from '../ranker/ranker.ts';

/** What a ranker elsewhere is told: in a worker thread, a worker of a browser, a page or behind an address. */
export type RankerCall =
  | { readonly does: 'rank'; readonly batch: readonly RankRequest[] }
  | { readonly does: 'warmUp'; readonly mode?: AnswerMode | undefined }
  | { readonly does: 'follow'; readonly facts: FactsEpoch }
  | { readonly does: 'close' };

/** What it answers; results are there after `rank`. */
export type RankerReply =
  | {
      readonly runtime: string;
      readonly results: readonly RankResult[];
      /** Of a ranker that keeps sets. */
      readonly cache?: CacheCounters | undefined;
    }
  | { readonly error: SentError };

/** Answers calls by a ranker, or by one that a call may have to open first; what goes wrong is an answer, too. */
export function createRankerHost(
  host: Ranker | (() => Promise<Ranker>),
): (call: RankerCall) => Promise<RankerReply> {
  return async (call) => {
    try {
      const ranker = typeof host === 'function' ? await host() : host;
      const results = await resultsOf(ranker, call);
      const { runtime, cache } = ranker;
      return { results, runtime, cache: cache && { hits: cache.hits, misses: cache.misses } };
    } catch (error) {
      return { error: sentError(error) };
    }
  };
}

async function resultsOf(ranker: Ranker, call: RankerCall): Promise<readonly RankResult[]> {
  switch (call.does) {
    case 'rank':
      return (await ranker.rank(call.batch)).map(ownArrays);
    case 'warmUp':
      await ranker.warmUp(call.mode);
      return [];
    case 'follow':
      await ranker.follow?.(call.facts);
      return [];
    case 'close':
      await ranker.close();
      return [];
  }
}

/** How a ranker elsewhere is reached. */
export interface RemoteRankerOptions {
  /** Where it is, for people. */
  readonly place: string;
  readonly plan: PlanChoice;
  /** Carries a call there and its answer back. */
  readonly ask: (call: RankerCall) => Promise<RankerReply>;
}

/** A ranker that asks one elsewhere. It has no queue: limits are for anyone who asks it. */
export function createRemoteRanker({ place, plan, ask }: RemoteRankerOptions): Ranker {
  let runtime = place;
  let cache: CacheCounters = { hits: 0, misses: 0 };
  let closing: Promise<void> | undefined;
  const call = async (message: RankerCall): Promise<readonly RankResult[]> => {
    const reply = await ask(message);
    if ('error' in reply) throw receivedError(reply.error);
    runtime = reply.runtime;
    cache = reply.cache ?? cache;
    return reply.results;
  };
  return {
    get runtime() {
      return runtime;
    },
    plan,
    get cache() {
      return cache;
    },
    get ready() {
      return closing === undefined;
    },
    async rank<Request extends RankRequest>(batch: readonly Request[]) {
      if (closing !== undefined) throw new FuzzError('runtime', 'the engine is closed', { passing: true });
      // A host answers each request with its result, in their order.
      return (await call({ does: 'rank', batch })) as ResultOf<Request>[];
    },
    async warmUp(mode) {
      await call({ does: 'warmUp', mode });
    },
    async follow(facts) {
      await call({ does: 'follow', facts });
    },
    close() {
      closing ??= call({ does: 'close' }).then(() => undefined);
      return closing;
    },
  };
}

/** A result without views of what is larger: a message would carry all that is behind them. */
function ownArrays<Value>(value: Value): Value {
  if (ArrayBuffer.isView(value))
    // Results have typed arrays alone.
    return (
      value.byteLength === value.buffer.byteLength ? value : (value as unknown as Float32Array).slice()
    ) as Value;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(ownArrays) as Value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, ownArrays(field)])) as Value;
}
