import { schema } from '@fuzzqe/core';
import { checkStoredHead, type StoredHead, saysNames, unreadable } from './check-batch.ts';
import type { FactBatch, FactChange } from './fact-store.ts';
import { parseChanges } from './parse-changes.ts';

/** What stands before the changes of a batch; no text in JSON has it either. */
const changesStart = ',"changes":[';

/** The JSON of a stored batch; `body` is what `encodeBatch` gives. */
export function storedJson(
  epoch: number,
  flushed: number,
  body: readonly Uint8Array[],
): readonly Uint8Array[] {
  return [Buffer.from(`{"epoch":${epoch},"flushed":${flushed},`), ...body];
}

/**
 * Reads the JSON of a batch.
 *
 * @param path the file and the line, for errors.
 * @throws FuzzError `data`.
 */
export function readStoredBatch(json: string, path: string): FactBatch {
  const changes: FactChange[] = [];
  const { epoch, at, by, idempotencyKey, creates, names } = readStored(json, path, (change) =>
    changes.push(change),
  );
  return {
    epoch,
    at,
    ...given(by, idempotencyKey),
    ...(creates === undefined ? nothing : { creates }),
    ...(names === undefined ? nothing : { names }),
    changes,
  };
}

/** Looks at all of the JSON of a batch, and keeps no change. Throws: `data`. */
export function readStoredHead(json: string, path: string): StoredHead {
  return readStored(json, path, () => {});
}

function readStored(json: string, path: string, take: (change: FactChange) => void): StoredHead {
  const end = json.indexOf(changesStart);
  const isEmpty = end !== -1 && json.slice(end + changesStart.length) === ']}';
  if (isEmpty || (end !== -1 && parseChanges(json, end + changesStart.length, take))) {
    const head =
      plainHead(json.slice(0, end)) ?? checkStoredHead(parsed(`${json.slice(0, end)}}`, path), path);
    if (!isEmpty || saysNames(head)) return head;
  }
  // Says in full what is wrong, because nothing that this version writes comes here.
  throw unreadable(parsed(json, path), path);
}

/** A head without escapes, at a time as JavaScript writes it: as most are, and read several times faster. */
const plain =
  /^\{"epoch":([1-9]\d{0,14}),"flushed":(\d{1,15}),"at":"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?Z)"(?:,"by":"([^"\\]{1,1000})")?(?:,"idempotencyKey":"([^"\\]{1,255})")?$/;

function plainHead(json: string): StoredHead | undefined {
  const [, epoch, flushed, at, by, idempotencyKey] = plain.exec(json) ?? [];
  if (at === undefined || Number.isNaN(Date.parse(at))) return undefined;
  return { epoch: Number(epoch), flushed: Number(flushed), at, ...given(by, idempotencyKey) };
}

const nothing = {};

/** Those of two fields that are there. */
function given(
  by: string | undefined,
  idempotencyKey: string | undefined,
): Pick<FactBatch, 'by' | 'idempotencyKey'> {
  if (by === undefined && idempotencyKey === undefined) return nothing;
  return {
    ...(by === undefined ? nothing : { by }),
    ...(idempotencyKey === undefined ? nothing : { idempotencyKey }),
  };
}

/** Reads JSON. Throws: `data`. */
export function parsed(json: string, path: string): unknown {
  const hint = 'Another program changed this line. Restore the file from a copy.';
  return schema.parseJson(schema.anything, json, { code: 'data', what: 'line', path, hint });
}
