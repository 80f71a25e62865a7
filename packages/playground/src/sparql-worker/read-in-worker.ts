import { FuzzError } from '@fuzzqe/core';
import { createPortCaller, type NumberedReply, type PortCaller } from '@fuzzqe/engine';
import type { Outcome } from '../question/naming.ts';
import type { SparqlCall } from '../question/read-sparql.ts';
import type { SparqlQuestion, SparqlReader } from '../question/sparql.ts';

type Caller = PortCaller<SparqlCall, Outcome<SparqlQuestion>>;

let caller: Caller | undefined;

/** Reads SPARQL in a worker, which begins with the first text and is kept for the next. */
export const readInWorker: SparqlReader = (call) => {
  caller ??= begin();
  return caller.ask(call);
};

function begin(): Caller {
  const worker = new Worker(new URL('./sparql-worker.ts', import.meta.url), { type: 'module' });
  const own: Caller = createPortCaller((message) => worker.postMessage(message));
  worker.addEventListener('message', ({ data }: MessageEvent<NumberedReply<Outcome<SparqlQuestion>>>) =>
    own.receive(data),
  );
  worker.addEventListener('error', () => {
    worker.terminate();
    // The next text begins another.
    if (caller === own) caller = undefined;
    own.end(
      new FuzzError('runtime', 'SPARQL: its parser could not be loaded', { hint: 'Load the page again.' }),
    );
  });
  return own;
}
