import { setTimeout as pause } from 'node:timers/promises';
import { expectOptions, FuzzError, isPassing, messageOf } from '@fuzzqe/core';
import { behindFetch } from '@fuzzqe/files';
import { type BatchList, createBatchList } from '../store/batch-list.ts';
import { readSharedBatch } from '../store/check-batch.ts';
import { closedError } from '../store/expect-epoch.ts';
import type { FactStore, FollowState } from '../store/fact-store.ts';
import { checkAnswer } from './check-answer.ts';
import { readTextLines } from './read-text-lines.ts';

/** How a server is followed. */
export interface FollowOptions {
  /** A key of that server. Default: no key. */
  readonly key?: string | undefined;
  /** Takes a line for people when following breaks off, is refused, and goes on. Default: the line is dropped. */
  readonly log?: (line: string) => void;
  /** Milliseconds for the first answer of the server. Default 30 000. */
  readonly patience?: number;
}

/** A store whose batches come from another server. */
export interface FollowedFacts extends FactStore {
  readonly follows: FollowState;
  arrivals(onEpoch: (epoch: number) => void): () => void;
}

/** Seconds for which a request waits for the next batch. */
const waitSeconds = 20;
/** Milliseconds after which an answer that does not begin, or goes on no more, is given up. */
const silence = (waitSeconds + 10) * 1000;
/** Changes after which those in memory are compacted. */
const keptChanges = 100_000;
const firstPause = 100;
const longestPause = 5000;

/**
 * Follows the facts of a server by `GET /v1/facts`, and holds the last change of each fact in memory.
 *
 * Batches are asked for again and again; each request waits at the server for the next batch. A server that is away is asked again, and
 * the batches so far are still given. `append` is refused.
 *
 * @param address of the server, such as `http://writer:8080`.
 * @throws FuzzError `usage`: no address of HTTP, or one with a password. `runtime`: the server does not answer, or has no facts. `config`: it refuses the key.
 * @example
 * const facts = await openFollowedFacts('http://writer:8080');
 * const stop = facts.arrivals((epoch) => console.log(epoch));
 */
export async function openFollowedFacts(
  address: string,
  options: FollowOptions = {},
): Promise<FollowedFacts> {
  expectOptions('openFollowedFacts', options, []);
  const { key, log = () => {}, patience = 30_000 } = options;
  const writer = writerOf(address);
  const end = new AbortController();
  const listeners = new Set<(epoch: number) => void>();
  let list: BatchList | undefined;
  let id: string | undefined;
  let state: FollowState['state'] = 'away';
  let heard = performance.now();

  /** Asks once, and takes what comes: after what is known, else all. */
  const poll = async (wait: number, known: BatchList | undefined): Promise<void> => {
    const after = known?.epoch ?? 0;
    const asked = new AbortController();
    const giveUp = (): void => asked.abort();
    const timer = setTimeout(giveUp, silence);
    end.signal.addEventListener('abort', giveUp);
    try {
      const response = await fetch(`${writer}/v1/facts?since=${after}&wait=${wait}`, {
        headers: {
          // Another store is told at once, and not after the wait.
          ...(id === undefined ? {} : { 'fuzzqe-store': id }),
          ...(key === undefined || key === '' ? {} : { authorization: `Bearer ${key}` }),
        },
        redirect: 'error',
        signal: asked.signal,
      });
      const polled = await checkAnswer(response, { id, epoch: list?.epoch ?? 0 }, writer);
      id = polled.id;
      heard = performance.now();
      if (!polled.isCompacted) await take(response, polled.epoch, known, timer);
      else if (known !== undefined) await poll(0, undefined);
    } catch (cause) {
      if (cause instanceof FuzzError) throw cause;
      throw new FuzzError(
        'runtime',
        `the server that is followed does not answer: ${messageOf(behindFetch(cause))}`,
        {
          path: writer,
          passing: true,
          cause,
        },
      );
    } finally {
      clearTimeout(timer);
      end.signal.removeEventListener('abort', giveUp);
    }
  };
  const take = async (
    { body }: Response,
    last: number,
    known: BatchList | undefined,
    timer: NodeJS.Timeout,
  ): Promise<void> => {
    const taken = known ?? createBatchList(keptChanges);
    for await (const line of readTextLines(body)) {
      timer.refresh();
      heard = performance.now();
      const batch = readSharedBatch(line, writer);
      const isNext = known === undefined ? batch.epoch > taken.epoch : batch.epoch === taken.epoch + 1;
      if (!isNext)
        throw new FuzzError('data', `expected the batch of epoch ${taken.epoch + 1}, got ${batch.epoch}`, {
          path: writer,
        });
      taken.add(batch);
      if (known !== undefined) tell(batch.epoch);
    }
    if (taken.epoch < last)
      throw new FuzzError('runtime', `expected batches up to epoch ${last}, got ${taken.epoch}`, {
        path: writer,
        passing: true,
      });
    // The first batches may be the result of compaction, which is right only as a whole.
    if (known !== undefined) return;
    list = taken;
    tell(taken.epoch);
  };
  const tell = (epoch: number): void => {
    for (const onEpoch of listeners) onEpoch(epoch);
  };

  const change = (to: FollowState['state'], line: string): void => {
    if (state !== to) log(line);
    state = to;
  };
  const rest = (milliseconds: number): Promise<void> =>
    pause(milliseconds, undefined, { signal: end.signal }).catch(() => {});
  const followOn = async (): Promise<void> => {
    for (let waited = firstPause; !end.signal.aborted; ) {
      try {
        const [began, before] = [performance.now(), list?.epoch];
        // Whether it can be followed again is told at once.
        await poll(state === 'following' ? waitSeconds : 0, list);
        change('following', `follows ${writer} again, at epoch ${list?.epoch}`);
        waited = firstPause;
        // A server that is about to end waits for no batch.
        if (list?.epoch === before && performance.now() - began < firstPause) await rest(firstPause);
      } catch (cause) {
        if (end.signal.aborted) return;
        const isAway = isPassing(cause);
        change(isAway ? 'away' : 'refused', `${messageOf(cause)}; answers go on at epoch ${list?.epoch}`);
        await rest(isAway ? waited : longestPause);
        waited = Math.min(2 * waited, longestPause);
      }
    }
  };

  for (let waited = firstPause, until = performance.now() + patience; list === undefined; waited *= 2)
    try {
      await poll(0, undefined);
    } catch (cause) {
      if (!isPassing(cause) || performance.now() + waited > until) throw cause;
      await pause(Math.min(waited, longestPause));
    }
  state = 'following';
  const following = followOn();

  const expectOpen = (): BatchList => {
    if (end.signal.aborted) throw closedError(writer);
    return list!; // Read before the store was given.
  };
  return {
    id: id!, // Of the first answer.
    get epoch() {
      return list!.epoch;
    },
    get follows() {
      return { writer, state, heardSeconds: (performance.now() - heard) / 1000 };
    },
    async append() {
      expectOpen();
      throw new FuzzError('runtime', `expected a store that takes changes, got one that follows ${writer}`, {
        path: writer,
        hint: 'Send the change to that server.',
      });
    },
    since: (epoch) => expectOpen().since(epoch, expectOpen),
    async compact() {
      expectOpen().compact();
    },
    arrivals(onEpoch) {
      listeners.add(onEpoch);
      return () => void listeners.delete(onEpoch);
    },
    async close() {
      end.abort();
      await following;
    },
  };
}

/** The address without what follows its path. Throws: `usage`. */
function writerOf(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const hint = 'As http://writer:8080; a key is given apart from it.';
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '')
    throw new FuzzError('usage', 'facts: expected an address of HTTP to follow, got another', { hint });
  if (url.username !== '' || url.password !== '')
    throw new FuzzError('usage', 'facts: expected an address without a name and a password', { hint });
  return url.href.replace(/\/$/, '');
}
