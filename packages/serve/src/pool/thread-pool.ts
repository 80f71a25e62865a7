import type { RankerThread } from './thread-lane.ts';

/** A fixed number of worker threads, on which any number of bundles are open. */
export interface ThreadPool {
  /** How many threads there are; 0: bundles rank in the main thread. */
  readonly size: number;
  /**
   * The thread on which one more lane of a bundle is to be opened: the one with the fewest bundles.
   *
   * `take` starts another thread in place of one that has ended.
   * @param besides threads that have the bundle already; the pool takes them if it has no other threads.
   */
  take(besides?: ReadonlySet<RankerThread>): RankerThread;
  /** Golden checks that bundles have passed, by seal and profile: a bundle that is opened again passes unasked. */
  readonly passed: Set<string>;
  /** Ends all threads, which have to have no bundles. */
  close(): Promise<void>;
}

/** A pool whose threads load their modules at once. */
export function createThreadPool(size: number, start: () => RankerThread): ThreadPool {
  const threads = new Set<RankerThread>();
  const another = (): RankerThread => {
    const thread = start();
    threads.add(thread);
    void thread.ended.then(() => threads.delete(thread));
    return thread;
  };
  for (let i = 0; i < size; i++) another();
  return {
    size,
    passed: new Set(),
    take(besides = new Set()) {
      if (threads.size < size) return another();
      const others = [...threads].filter((thread) => !besides.has(thread));
      return (others.length > 0 ? others : [...threads]).reduce((least, thread) =>
        thread.bundles < least.bundles ? thread : least,
      );
    },
    async close() {
      await Promise.all([...threads].map((thread) => thread.close()));
    },
  };
}
