import { parentPort } from 'node:worker_threads';
import { FuzzError, sentError } from '@fuzzqe/core';
import { evaluateHere, evaluationError, type TripleSource, tooManyRows } from '@fuzzqe/sparql/evaluate';
import type { AskedTriples, EvaluatorAsked, EvaluatorReply, GivenTriples } from './evaluator-threads.ts';

// What starts this script listens.
const port = parentPort!;
const tell = (reply: EvaluatorReply): void => port.postMessage(reply);

const waiting = new Map<number, (given: GivenTriples) => void>();
let asked = 0;
let abort = new AbortController();

function ask(question: Omit<AskedTriples, 'id'>, id: number): Promise<GivenTriples> {
  return new Promise((resolve) => {
    waiting.set(id, resolve);
    tell({ ...question, id });
  });
}

/** The triples of the thread that asks, which answers by messages. */
const source: TripleSource = {
  async *match(pattern) {
    const id = ++asked;
    for (;;) {
      const { triples } = await ask({ pattern }, id);
      if (triples === undefined) return;
      yield triples;
    }
  },
  async count(pattern) {
    const { count } = await ask({ pattern, counts: true }, ++asked);
    return count ?? 0;
  },
};

port.on('message', (message: EvaluatorAsked) => {
  if ('id' in message) {
    const resolve = waiting.get(message.id);
    waiting.delete(message.id);
    resolve?.(message);
    return;
  }
  if ('stops' in message) {
    abort.abort(new FuzzError('interrupted', 'the query was given up'));
    return;
  }
  const { query, most } = message;
  abort = new AbortController();
  waiting.clear();
  const options = { most, tooMany: () => tooManyRows(most), signal: abort.signal };
  evaluateHere(query, source, options).then(
    (result) => tell({ result }),
    (error: unknown) => tell({ error: sentError(evaluationError(error)) }),
  );
});

tell({ isReady: true });
