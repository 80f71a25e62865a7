import { FuzzError } from '@fuzzqe/core';
import type { Query } from '@fuzzqe/core/query';
import { fromJson, fromText, type HostReply, type HostRequest, type RankChoice } from '../hosts/protocol.ts';
import type { Answerer } from './runtime.ts';

/** An answerer that asks a runtime elsewhere. */
export function remoteAnswerer(
  place: string,
  profile: string,
  close: () => Promise<void>,
  ask: (request: HostRequest) => Promise<HostReply>,
): Answerer {
  let runtime = place;
  const reply = async (
    queries: readonly Query[],
    rank?: RankChoice,
  ): Promise<Exclude<HostReply, { readonly error: string }>> => {
    const answer = await ask({ profile, queries, ...(rank === undefined ? {} : { rank }) });
    if ('error' in answer) throw new FuzzError('runtime', `${place}: ${answer.error}`);
    runtime = `${answer.runtime} in ${place}`;
    return answer;
  };
  return {
    get runtime() {
      return runtime;
    },
    async rank(queries, options) {
      const answer = await reply(queries, options);
      return 'rankings' in answer ? answer.rankings.map(fromJson) : [];
    },
    async degrees(queries) {
      const answer = await reply(queries);
      return 'sets' in answer ? answer.sets.map(fromText) : [];
    },
    close,
  };
}
