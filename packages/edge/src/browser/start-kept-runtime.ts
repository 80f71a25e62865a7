import type { KeptCall, KeptRuntime } from './kept-runtime.ts';

/** A worker that reads what an earlier visit kept of the runtime. */
export interface KeptReading {
  /** What it found; nothing where there is no such worker. */
  readonly kept: Promise<KeptRuntime>;
  /** Ends the worker; where it has found nothing yet, nothing is what it found. */
  end(): void;
}

/**
 * Has a worker of a small script read and compile what was kept of the runtime while the large script of another one is compiled.
 *
 * It ends with its answer. What it is not able to do, the other worker does by itself.
 */
export function startKeptRuntime(start: (() => Worker) | undefined, call: KeptCall): KeptReading {
  let end = (): void => undefined;
  const kept = new Promise<KeptRuntime>((settle) => {
    const worker = start?.();
    if (worker === undefined) return settle({});
    const ended = (found: KeptRuntime): void => {
      worker.terminate();
      settle(found);
    };
    end = () => ended({});
    worker.onerror = (event) => {
      event.preventDefault();
      ended({});
    };
    worker.onmessage = ({ data }: { readonly data: KeptRuntime }) => ended(data);
    worker.postMessage(call);
  }).catch(() => ({}));
  return { kept, end: () => end() };
}
