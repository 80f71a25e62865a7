import { FuzzError } from '@fuzzqe/core';
import type { MetricCounts } from '../operations/metrics.ts';
import { type FromProcess, isProcessMessage, type ToProcess } from './process-messages.ts';

/** The channel to the process that started this one. */
export interface ProcessChannel {
  send(message: FromProcess): void;
  /** Hears each message, and undefined where no more will come. */
  listen(hear: (message: unknown) => void): void;
}

/** What a server asks of the others that share its port. */
export interface Siblings {
  /** Takes how to tell what this process has counted, and gives how to learn what all have. Throws: 'runtime', nobody answers in time. */
  shareCounts(own: () => Promise<MetricCounts>): () => Promise<readonly MetricCounts[]>;
}

/** One of several processes that serve on one port, to the one that started them. */
export interface SiblingLink extends Siblings {
  /** Says that this one serves. */
  opened(): void;
  /** Hears that this one is to end, which may have been said before, or that nobody can say it any more. */
  onStop(hear: () => void): void;
  /** Hears that bundles and keys are to be read again, which may have been said before. */
  onReload(hear: () => void): void;
}

/** Milliseconds that the counts of all are waited for. */
const longestGathering = 5000;

/** Speaks for one of several processes with the one that started them. */
export function createSiblingLink(channel: ProcessChannel): SiblingLink {
  let tellOwn: (() => Promise<MetricCounts>) | undefined;
  const [stopping, reloading] = [createOrder(), createOrder()];
  const asked = new Map<number, (all: readonly MetricCounts[]) => void>();
  let next = 0;
  channel.listen((message) => {
    if (message === undefined) {
      stopping.give();
      return;
    }
    if (!isProcessMessage(message)) return;
    const order = message as ToProcess; // no other comes this way
    switch (order.fuzzqe) {
      case 'stop':
        stopping.give();
        return;
      case 'reload':
        reloading.give();
        return;
      case 'count':
        // Whoever cannot tell is passed over in time.
        tellOwn?.().then(
          (counts) => channel.send({ fuzzqe: 'counts', id: order.id, counts }),
          () => undefined,
        );
        return;
      case 'counted':
        asked.get(order.id)?.(order.all);
        return;
    }
  });
  return {
    opened: () => channel.send({ fuzzqe: 'opened' }),
    onStop: stopping.hear,
    onReload: reloading.hear,
    shareCounts(own) {
      tellOwn = own;
      return () => {
        next += 1;
        const id = next;
        return new Promise((resolve, reject) => {
          const end = (): void => {
            clearTimeout(timer);
            asked.delete(id);
          };
          const timer = setTimeout(() => {
            end();
            reject(
              new FuzzError('runtime', 'the other processes did not tell what they counted', {
                passing: true,
              }),
            );
          }, longestGathering);
          asked.set(id, (all) => {
            end();
            resolve(all);
          });
          channel.send({ fuzzqe: 'gather', id });
        });
      };
    },
  };
}

/** An order that may be given before anybody can hear it. */
function createOrder(): { give(): void; hear(listener: () => void): void } {
  let isGiven = false;
  let obey: (() => void) | undefined;
  return {
    give() {
      isGiven = true;
      obey?.();
    },
    hear(listener) {
      obey = listener;
      if (isGiven) listener();
    },
  };
}
