import { setImmediate } from 'node:timers/promises';
import { mostBatchBytes } from './check-batch.ts';
import { type BatchHead, createBatchEncoder } from './encode-batch.ts';
import type { EntityNames } from './entity-names.ts';
import type { NetChanges } from './net-changes.ts';

/** Changes between two turns of the event loop. */
const turn = 5000;

/**
 * The JSON of net changes as bodies of batches; all but the last have at least `batchBytes`.
 *
 * So there are never more bodies than there were batches, which had at most as many bytes, and each body can have an epoch.
 */
export async function encodeNet(
  net: NetChanges,
  batchBytes: number = mostBatchBytes,
): Promise<readonly (readonly Uint8Array[])[]> {
  const bodies: (readonly Uint8Array[])[] = [];
  const whole = net.head();
  const parts = partsOf(whole, batchBytes);
  const { creates: _keys, names: _names, ...head } = whole;
  for (const part of parts.slice(0, -1)) bodies.push(createBatchEncoder({ ...head, ...part.head }).end());
  const last = parts.at(-1);
  let encoder = createBatchEncoder({ ...head, ...last?.head });
  let before = last?.bytes ?? 0;
  let count = 0;
  for (const change of net.changes()) {
    if (before + encoder.bytes >= batchBytes) {
      bodies.push(encoder.end());
      encoder = createBatchEncoder(head);
      before = 0;
    }
    encoder.add(change);
    count += 1;
    // Others of this thread wait: queries, for one.
    if (count % turn === 0) await setImmediate();
  }
  bodies.push(encoder.end());
  return bodies;
}

/** What stands before the changes of a body. */
interface Part {
  readonly head: Pick<BatchHead, 'creates' | 'names'>;
  readonly bytes: number;
}

/** New keys and names in their order, as parts; all but the last have at least `batchBytes`. */
function partsOf({ creates, names = [] }: BatchHead, batchBytes: number): readonly Part[] {
  const parts: Part[] = [];
  const empty = () => ({ entities: [] as string[], relations: [] as string[], names: [] as EntityNames[] });
  let part = empty();
  let bytes = 0;
  const end = (): void => {
    const { names: named, ...keys } = part;
    const isNew = keys.entities.length + keys.relations.length > 0;
    parts.push({
      head: { ...(isNew ? { creates: keys } : {}), ...(named.length === 0 ? {} : { names: named }) },
      bytes,
    });
    part = empty();
    bytes = 0;
  };
  const add = (value: unknown, take: () => unknown): void => {
    if (bytes >= batchBytes) end();
    take();
    bytes += Buffer.byteLength(JSON.stringify(value));
  };
  for (const key of creates?.entities ?? []) add(key, () => part.entities.push(key));
  for (const key of creates?.relations ?? []) add(key, () => part.relations.push(key));
  for (const name of names) add(name, () => part.names.push(name));
  if (bytes > 0) end();
  return parts;
}
