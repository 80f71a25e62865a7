import { setImmediate } from 'node:timers/promises';
import { mostBatchBytes } from './check-batch.ts';
import { createBatchEncoder } from './encode-batch.ts';
import type { NetChanges } from './net-changes.ts';

/** Changes between two turns of the event loop. */
const turn = 5000;

/**
 * The JSON of net changes as bodies of batches; the changes of each but the last have at least `batchBytes`.
 *
 * So there are never more bodies than there were batches, which had at most as many bytes, and each body can have an epoch.
 */
export async function encodeNet(
  net: NetChanges,
  batchBytes: number = mostBatchBytes,
): Promise<readonly (readonly Uint8Array[])[]> {
  const bodies: (readonly Uint8Array[])[] = [];
  let encoder = createBatchEncoder(net.head());
  let count = 0;
  for (const change of net.changes()) {
    if (encoder.bytes >= batchBytes) {
      bodies.push(encoder.end());
      encoder = createBatchEncoder(net.head());
    }
    encoder.add(change);
    count += 1;
    // Others of this thread wait: queries, for one.
    if (count % turn === 0) await setImmediate();
  }
  bodies.push(encoder.end());
  return bodies;
}
