import {
  createRankerHost,
  type Engine,
  messageFromJson,
  messageToJson,
  type RankerCall,
} from '@fuzzqe/engine';

/** What a runtime elsewhere is told: a call to the ranker of one profile. */
export interface HostCall {
  readonly profile: string;
  readonly call: RankerCall;
}

/** Answers the text of a call with the text of its answer. */
export type AnswerHost = (call: string) => Promise<string>;

/**
 * Answers calls with one engine at a time, opened for the profile that was asked for.
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
  return async (text) => {
    const { profile, call } = messageFromJson(text) as HostCall; // from our own remote answerer
    const answer = createRankerHost(() => engineOf(profile).then(({ ranker }) => ranker));
    return messageToJson(await answer(call));
  };
}
