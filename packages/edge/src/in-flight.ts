import { FuzzError } from '@fuzzqe/core';
import { type RequestContext, workOutlives } from './opening.ts';

/** Requests that wait for what another of them began. */
export interface InFlight {
  /** Whether shared work takes so long that anyone who began it must be gone: nobody will hear of it any more. */
  readonly isStuck: boolean;
  /** Marks work that any request may come to wait for. */
  share<T>(work: Promise<T>): Promise<T>;
  /** Does a request's work. @throws what that throws. FuzzError `deadline`: it waits for what is stuck. */
  during<T>(context: RequestContext | undefined, work: () => Promise<T>): Promise<T>;
}

/** How long shared work may take. */
export interface InFlightOptions {
  /** How long a request may wait before it is answered, in milliseconds. */
  readonly openTimeout: number;
  readonly now?: () => number;
  /** How often a request looks, in milliseconds. */
  readonly tick?: number;
}

/**
 * Keeps requests going that wait for each other, where the platform knows of each only what it waits for itself.
 *
 * Workers end a request that has nothing of its own to wait for as hung, and what a request began ends with it: a timer of its
 * own stands for what others do for it, and what it may have begun for others is waited for after its answer.
 */
export function createInFlight({ openTimeout, now = Date.now, tick = 1000 }: InFlightOptions): InFlight {
  const shared = new Map<Promise<unknown>, number>();
  const isStuck = (): boolean => {
    for (const since of shared.values()) if (now() - since > openTimeout + workOutlives) return true;
    return false;
  };
  return {
    get isStuck() {
      return isStuck();
    },
    share(work) {
      shared.set(work, now());
      const done = (): void => {
        shared.delete(work);
      };
      work.then(done, done);
      return work;
    },
    during(context, work) {
      return new Promise((resolve, reject) => {
        const timer = setInterval(() => {
          if (context === undefined || !isStuck()) return;
          clearInterval(timer);
          reject(new FuzzError('deadline', 'a file of the bundle did not come: its request has ended'));
        }, tick);
        const ended = work()
          .then(resolve, reject)
          .then(async () => {
            clearInterval(timer);
            await Promise.allSettled(shared.keys());
          });
        context?.waitUntil(ended);
      });
    },
  };
}
