import { FuzzError } from '@fuzzqe/core';
import { fromJson, type RankReply, type RankRequest } from '../hosts/protocol.ts';
import type { Answerer } from './runtime.ts';

/** An answerer that asks a runtime elsewhere. */
export function remoteAnswerer(
  place: string,
  profile: string,
  close: () => Promise<void>,
  ask: (request: RankRequest) => Promise<RankReply>,
): Answerer {
  let runtime = place;
  return {
    get runtime() {
      return runtime;
    },
    async rank(queries, { k, plan }) {
      const reply = await ask({ profile, queries, k, plan });
      if ('error' in reply) throw new FuzzError('runtime', `${place}: ${reply.error}`);
      runtime = `${reply.runtime} in ${place}`;
      return reply.rankings.map(fromJson);
    },
    close,
  };
}
