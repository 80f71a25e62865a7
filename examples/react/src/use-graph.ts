import { type BrowserEngine, openBundle } from '@fuzzqe/edge/browser';
import { useEffect, useState } from 'react';

/** A graph that is being opened, is open, or cannot be opened. */
export interface Opening {
  /** Undefined until it is open. */
  readonly engine?: BrowserEngine;
  readonly error?: Error;
}

/** Opens a bundle in a web worker for as long as the component is there. */
export function useGraph(address: string): Opening {
  const [opening, setOpening] = useState<Opening>({});
  useEffect(() => {
    const leaving = new AbortController();
    // For some thousand entities. Larger graphs take the runtime of WebAssembly, as the README says.
    const opened = openBundle(address, { runtime: 'javascript', signal: leaving.signal });
    opened.then(
      (engine) => setOpening({ engine }),
      (error: Error) => {
        if (error.name !== 'AbortError') setOpening({ error });
      },
    );
    return () => {
      leaving.abort();
      opened.then(
        (engine) => engine.close(),
        () => undefined,
      );
    };
  }, [address]);
  return opening;
}
