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

/** What the process that started this one asks for. */
export interface SiblingOrders {
  readonly onStop: () => void;
  readonly onReload: () => void;
}

/** One of several processes that serve on one port, to the one that started them. */
export interface SiblingLink extends Siblings {
  /** Says that this one serves. */
  opened(): void;
  /** Hears what is asked for from now on, and what was before; without the other process, to stop. */
  obey(orders: SiblingOrders): void;
}

/** Milliseconds that the counts of all are waited for. */
const longestGathering = 5000;

/** Speaks for one of several processes with the one that started them. */
export function createSiblingLink(channel: ProcessChannel): SiblingLink {
  let tellOwn: (() => Promise<MetricCounts>) | undefined;
  let orders: SiblingOrders | undefined;
  let [isStopped, isToReload] = [false, false];
  const asked = new Map<number, (all: readonly MetricCounts[]) => void>();
  let next = 0;
  const stop = (): void => {
    isStopped = true;
    orders?.onStop();
  };
  const reload = (): void => {
    if (orders === undefined) isToReload = true;
    else orders.onReload();
  };
  channel.listen((message) => {
    if (message === undefined) {
      stop();
      return;
    }
    if (!isProcessMessage(message)) return;
    const order = message as ToProcess; // no other comes this way
    switch (order.fuzzqe) {
      case 'stop':
        stop();
        return;
      case 'reload':
        reload();
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
    obey(given) {
      orders = given;
      if (isToReload) given.onReload();
      if (isStopped) given.onStop();
    },
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
