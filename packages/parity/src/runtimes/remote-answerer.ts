import { createRemoteRanker, messageFromJson, messageToJson, type RankerReply } from '@fuzzqe/engine';
import type { HostCall } from '../hosts/answer-host.ts';
import { type Answerer, rankerAnswerer } from './runtime.ts';

/** An answerer that asks a runtime elsewhere: `carry` takes the text of a call there, and gives that of its answer. */
export function remoteAnswerer(
  place: string,
  profile: string,
  close: () => Promise<void>,
  carry: (call: string) => Promise<string>,
): Answerer {
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
  return rankerAnswerer(ranker, close);
}
