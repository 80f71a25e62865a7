import { FuzzError } from '@fuzzqe/core';
import { readTextLines } from '../follow/read-text-lines.ts';
import { readSharedBatch } from '../store/check-batch.ts';
import type { FactBatch } from '../store/fact-store.ts';

/**
 * Reads batches of a store as `GET /v1/facts` and `fuzzqe facts log --json` write them: a line of JSON each, epochs rising.
 *
 * @param place for errors.
 * @throws FuzzError `data`: a line that is no batch, or whose epoch does not rise, with its number. `runtime`: the last line breaks off.
 * @example
 * const body = (async function* () {
 *   yield bytes;
 * })();
 * for await (const { epoch, changes } of readDelta(body, 'facts.ndjson')) console.log(epoch, changes);
 */
export async function* readDelta(body: AsyncIterable<Uint8Array>, place: string): AsyncGenerator<FactBatch> {
  let line = 0;
  let epoch = 0;
  for await (const json of readTextLines(body)) {
    line += 1;
    const batch = readSharedBatch(json, `${place}:${line}`);
    if (batch.epoch <= epoch)
      throw new FuzzError('data', `batch: expected an epoch above ${epoch}, got ${batch.epoch}`, {
        path: `${place}:${line}`,
        hint: 'Write the batches of one store, in their order: fuzzqe facts log ADDRESS --json.',
      });
    epoch = batch.epoch;
    yield batch;
  }
}
