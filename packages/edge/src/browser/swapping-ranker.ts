import { FuzzError } from '@fuzzqe/core';
import type { Ranker } from '@fuzzqe/engine';
import type { NameChanges } from '@fuzzqe/names';
import type { BundleWorker } from './start-worker.ts';

/** Ranks and searches, and goes on in another worker where the first is lost. */
export interface SwappingRanker extends Ranker {
  readonly search: BundleWorker['search'];
  readonly textsOf: BundleWorker['textsOf'];
  readonly name: BundleWorker['name'];
}

/**
 * Asks a worker, and where it is lost another, which `reopen` opens once: also what was under way is asked again there.
 *
 * @throws FuzzError what `reopen` throws; a call after that tries again.
 */
export function createSwappingRanker(
  first: BundleWorker,
  reopen: (reason: string) => Promise<BundleWorker>,
): SwappingRanker {
  let worker = first;
  let swapping: Promise<BundleWorker> | undefined;
  let isClosed = false;
  /** What another worker has to be told, too. */
  let followed: Parameters<NonNullable<Ranker['follow']>>[0] | undefined;
  const named: NameChanges[] = [];
  const swap = async (reason: string): Promise<BundleWorker> => {
    try {
      const next = await reopen(reason);
      for (const changes of named) await next.name(changes);
      if (followed !== undefined) await next.ranker.follow?.(followed);
      worker = next;
      if (isClosed) await worker.ranker.close();
      return worker;
    } finally {
      swapping = undefined;
    }
  };
  const current = async (): Promise<BundleWorker> => {
    if (isClosed) throw new FuzzError('runtime', 'the engine is closed');
    const { lost } = worker;
    if (lost === undefined) return worker;
    swapping ??= swap(lost);
    return swapping;
  };
  const asking = async <T>(ask: (worker: BundleWorker) => Promise<T>): Promise<T> => {
    const asked = await current();
    try {
      return await ask(asked);
    } catch (error) {
      if (asked.lost === undefined || isClosed) throw error;
      return ask(await current());
    }
  };
  return {
    get runtime() {
      return worker.ranker.runtime;
    },
    plan: first.ranker.plan,
    get ready() {
      return !isClosed;
    },
    search: (call) => asking((each) => each.search(call)),
    textsOf: (id) => asking((each) => each.textsOf(id)),
    name(changes) {
      named.push(changes);
      return asking((each) => each.name(changes));
    },
    follow(facts) {
      followed = facts;
      return asking(async ({ ranker }) => ranker.follow?.(facts));
    },
    rank: (batch, limits) => asking(({ ranker }) => ranker.rank(batch, limits)),
    warmUp: (mode) => asking(({ ranker }) => ranker.warmUp(mode)),
    async close() {
      isClosed = true;
      await worker.ranker.close();
    },
  };
}
