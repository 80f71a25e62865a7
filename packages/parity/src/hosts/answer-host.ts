import type { Engine } from '@fuzzqe/engine';
import { type HostReply, type HostRequest, toJson, toText } from './protocol.ts';

/** Answers requests, each with what went wrong where it did. */
export type AnswerHost = (request: HostRequest) => Promise<HostReply>;

/**
 * Answers requests with one engine at a time, opened for the profile that was asked for.
 *
 * WebAssembly has at most 4 GB: the graphs of another profile are closed first.
 */
export function createAnswerHost(open: (profile: string) => Promise<Engine>): AnswerHost {
  let current: { readonly profile: string; readonly engine: Promise<Engine> } | undefined;
  const engineOf = async (profile: string): Promise<Engine> => {
    if (current?.profile !== profile) {
      await current?.engine.then((engine) => engine.close()).catch(() => undefined);
      current = { profile, engine: open(profile) };
    }
    return current.engine;
  };
  return async ({ profile, queries, rank }) => {
    try {
      const engine = await engineOf(profile);
      if (rank === undefined) {
        const sets = (await engine.degrees(queries)).map(toText);
        return { runtime: engine.runtime, sets };
      }
      const rankings = (await engine.rank(queries, rank)).map(toJson);
      return { runtime: engine.runtime, rankings };
    } catch (error) {
      return { error: error instanceof Error ? error.message : String(error) };
    }
  };
}
