import { FuzzError } from '@fuzzqe/core';
import type { Lane, QueueOptions, Ranker } from '@fuzzqe/engine';
import type { RankerThread } from './thread-lane.ts';
import type { ThreadPool } from './thread-pool.ts';

type FactsEpoch = Parameters<NonNullable<Ranker['follow']>>[0];

/** Why a lane is opened: at the start of a bundle, while its lanes are busy, or instead of one whose thread has ended. */
export type LaneReason = 'start' | 'more' | 'instead';

/** How a bundle comes to its threads. */
export interface SpreadOptions {
  readonly threads: ThreadPool;
  /** On how many threads it is opened at first. */
  readonly lanes: number;
  readonly open: (thread: RankerThread, why: LaneReason) => Promise<Lane>;
}

interface OpenLane extends Lane {
  running: number;
}

/**
 * Lanes for the queue of one bundle: some that are open on a thread, and one more for each other thread of the pool.
 *
 * A lane that is not open hands its batches to the open lane that has the least to do. If `busyBatches` batches waited within a second,
 * the lane opens the bundle on a thread of its own. A bundle that is seldom asked stays on one thread.
 */
export function spreadLanes({
  threads,
  lanes,
  open,
}: SpreadOptions): Required<Pick<QueueOptions, 'lanes' | 'open'>> {
  const used = new Set<RankerThread>();
  const openLanes = new Set<OpenLane>();
  const busy: BusyCount = { since: 0, batches: 0 };
  let asked = 0;

  const openOne = async (why: LaneReason): Promise<OpenLane> => {
    const thread = threads.take(used);
    used.add(thread);
    const leave = (): void => {
      used.delete(thread);
      if (opened !== undefined) openLanes.delete(opened);
    };
    let opened: OpenLane | undefined;
    const { ranker, ended } = await open(thread, why).catch((cause: unknown) => {
      leave();
      throw cause;
    });
    const rank: Ranker['rank'] = async (batch, limits) => {
      if (lane.running > 0) noteBusy(busy);
      lane.running += 1;
      try {
        return await ranker.rank(batch, limits);
      } finally {
        lane.running -= 1;
      }
    };
    const counted = Object.defineProperties({} as Ranker, {
      ...Object.getOwnPropertyDescriptors(ranker),
      rank: { enumerable: true, value: rank },
    });
    const lane: OpenLane = { ranker: counted, running: 0, ...(ended === undefined ? {} : { ended }) };
    opened = lane;
    openLanes.add(lane);
    void ended?.then(leave);
    return lane;
  };
  const first = openOnce(() => openOne('start'));

  const borrowing = async (): Promise<Lane> => {
    const { ranker } = await first();
    let own: OpenLane | undefined;
    let opening: Promise<void> | undefined;
    let followed: FactsEpoch | undefined;
    let isClosed = false;
    const openOwn = async (): Promise<void> => {
      const lane = await openOne('more');
      busy.batches = 0;
      for (let facts: FactsEpoch | undefined; facts !== followed; ) {
        facts = followed;
        await lane.ranker.follow?.(facts!);
      }
      own = lane;
      void lane.ended?.then(() => {
        own = undefined;
      });
    };
    const rank: Ranker['rank'] = (batch, limits) => {
      if (own !== undefined) return own.ranker.rank(batch, limits);
      const [least] = [...openLanes].sort((a, b) => a.running - b.running);
      if (least === undefined)
        return Promise.reject(
          new FuzzError('runtime', 'the worker thread of the bundle is being replaced', { passing: true }),
        );
      if (opening === undefined && !isClosed && isPressed(busy)) {
        // Where it fails, it is tried again under the next pressure; the bundle has a lane.
        opening = openOwn()
          .catch(() => undefined)
          .finally(() => {
            opening = undefined;
          });
      }
      return least.ranker.rank(batch, limits);
    };
    return {
      ranker: {
        ...ranker,
        get runtime() {
          return ranker.runtime;
        },
        get ready() {
          return !isClosed;
        },
        get cache() {
          return own?.ranker.cache ?? { hits: 0, misses: 0 };
        },
        rank,
        async follow(facts) {
          followed = facts;
          await own?.ranker.follow?.(facts);
        },
        warmUp: async () => undefined,
        async close() {
          isClosed = true;
          await opening;
          await own?.ranker.close();
        },
      },
    };
  };
  return {
    lanes: threads.size,
    open() {
      asked += 1;
      if (asked === 1) return first();
      if (asked <= lanes) return openOne('start');
      return asked <= threads.size ? borrowing() : openOne('instead');
    },
  };
}

/** So many batches within a second that waited for others on their lane open the bundle on another thread. */
const busyBatches = 16;

interface BusyCount {
  since: number;
  batches: number;
}

/** Counts a batch that waits for another on its lane. */
function noteBusy(busy: BusyCount): void {
  const now = performance.now();
  if (now - busy.since > 1000) Object.assign(busy, { since: now, batches: 0 });
  busy.batches += 1;
}

/** Whether many batches have waited for others of late. */
function isPressed({ since, batches }: BusyCount): boolean {
  return batches >= busyBatches && performance.now() - since < 1000;
}

function openOnce<Value>(open: () => Promise<Value>): () => Promise<Value> {
  let opened: Promise<Value> | undefined;
  return () => {
    opened ??= open();
    return opened;
  };
}
