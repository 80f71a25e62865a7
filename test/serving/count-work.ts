import { Session } from 'node:inspector';

/**
 * What a turn of the event loop did, in blocks of code that ran and in characters of JSON, written or read, eight of which count as a block. A
 * key of an object with hundreds of them counts as a hundred blocks: the runtime keeps a record of each.
 */
export interface TurnWork {
  /** The most of one turn. */
  readonly most: number;
  readonly turns: number;
}

interface Range {
  readonly count: number;
}
interface Coverage {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly { readonly ranges: readonly Range[] }[];
  }[];
}

/** Counts the work of this project's code in this thread, whatever time that takes. */
export interface WorkCounter {
  /** Does something, and counts what each turn of the event loop until its end did. */
  during(work: () => Promise<unknown>): Promise<TurnWork>;
  close(): void;
}

/** What the runtime does for a name of a key that it reads, as blocks: 0.4 microseconds. */
const blocksOfName = 100;

/** Code that is loaded before is not counted block by block, so import what is measured afterwards. */
export function createWorkCounter(): WorkCounter {
  const session = new Session();
  session.connect();
  const ask = <T>(method: string, parameters: object = {}): T => {
    let answer: unknown;
    // Sessions of their own thread answer at once.
    session.post(method, parameters, (error: Error | null, result: unknown) => {
      if (error !== null) throw error;
      answer = result;
    });
    return answer as T; // what the method answers
  };
  ask('Profiler.enable');
  ask('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  let written = 0;
  const { stringify } = JSON;
  JSON.stringify = ((...given: Parameters<typeof stringify>) => {
    const text = stringify(...given);
    written += (text?.length ?? 0) / 8;
    return text;
  }) as typeof stringify; // all of its forms
  const { parse } = JSON;
  JSON.parse = ((...given: Parameters<typeof parse>) => {
    const value: unknown = parse(...given);
    written += given[0].length / 8;
    const names = typeof value === 'object' && value !== null ? Object.keys(value).length : 0;
    if (names > 256 && !Array.isArray(value)) written += blocksOfName * names;
    return value;
  }) as typeof parse; // all of its forms
  /** What was done since it was asked last. */
  const take = (): number => {
    const { result } = ask<Coverage>('Profiler.takePreciseCoverage');
    let blocks = written;
    for (const { url, functions } of result)
      if (/\/packages\/\w+\/src\//.test(url) && !url.includes('/testing/'))
        for (const { ranges } of functions) for (const { count } of ranges) blocks += count;
    written = 0;
    return blocks;
  };
  return {
    async during(work) {
      let [most, turns, isOver] = [0, 0, false];
      take();
      const look = (): void => {
        if (isOver) return;
        most = Math.max(most, take());
        turns += 1;
        setTimeout(look, 0);
      };
      setTimeout(look, 0);
      try {
        await work();
      } finally {
        isOver = true;
        most = Math.max(most, take());
      }
      return { most, turns };
    },
    close() {
      JSON.stringify = stringify;
      JSON.parse = parse;
      ask('Profiler.stopPreciseCoverage');
      session.disconnect();
    },
  };
}
