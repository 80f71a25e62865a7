import { createRemoteRanker, messageFromJson, messageToJson, type RankerReply } from '@fuzzqe/engine';
import type { HostCall } from '../hosts/answer-host.ts';
import { type Answerer, rankerAnswerer } from './runtime.ts';

/** A program that answers calls. */
export interface RemotePlace {
  readonly name: string;
  /** Takes the text of a call there, and gives that of its answer. */
  carry(call: string): Promise<string>;
  /** As of `Answerer`. */
  ended(): string | undefined;
  /** Once or again. */
  close(): Promise<void>;
}

/** An answerer that asks a runtime elsewhere, and closes it where the signal is raised. */
export function remoteAnswerer(
  { name: place, carry, ended, close }: RemotePlace,
  profile: string,
  signal?: AbortSignal,
): Answerer {
  const stop = (): void => void close().catch(() => undefined);
  if (signal?.aborted) stop();
  else signal?.addEventListener('abort', stop, { once: true });
  const ranker = createRemoteRanker({
    place,
    plan: 'auto',
    ask: async (call) => {
      const text = await carry(messageToJson({ profile, call } satisfies HostCall));
      const reply = messageFromJson(text) as RankerReply; // from our own host
      if ('error' in reply) return { error: { ...reply.error, message: `${place}: ${reply.error.message}` } };
      return { ...reply, runtime: `${reply.runtime} in ${place}` };
    },
  });
  // Its place is closed, and what runs there with it.
  const closeOnce = (): Promise<void> => {
    signal?.removeEventListener('abort', stop);
    return close();
  };
  return rankerAnswerer(ranker, closeOnce, ended);
}
