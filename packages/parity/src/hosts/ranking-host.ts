import type { Engine } from '@fuzzqe/engine';
import { type RankReply, type RankRequest, toJson } from './protocol.ts';

/**
 * Answers requests with one engine at a time, opened for the profile that was asked for.
 *
 * WebAssembly has at most 4 GB: the graphs of another profile are closed first.
 */
export function createRankingHost(
  open: (profile: string) => Promise<Engine>,
): (request: RankRequest) => Promise<RankReply> {
  let current: { readonly profile: string; readonly engine: Promise<Engine> } | undefined;
  const engineOf = async (profile: string): Promise<Engine> => {
    if (current?.profile !== profile) {
      await current?.engine.then((engine) => engine.close()).catch(() => undefined);
      current = { profile, engine: open(profile) };
    }
    return current.engine;
  };
  return async ({ profile, queries, k, plan }) => {
    try {
      const engine = await engineOf(profile);
      const rankings = await engine.rank(queries, { k, plan });
      return { runtime: engine.runtime, rankings: rankings.map(toJson) };
    } catch (error) {
      return { error: error instanceof Error ? error.message : String(error) };
    }
  };
}
