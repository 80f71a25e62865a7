import { randomUUID } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expectOptions, expectText, FuzzError, schema } from '@fuzzqe/core';
import { type Lock, lockFolder, pathExists, readWholeFile, writeFileWhole } from '@fuzzqe/files';
import { createAppendQueue } from '../store/append-queue.ts';
import { closedError, expectEpoch } from '../store/expect-epoch.ts';
import type { FactStore } from '../store/fact-store.ts';
import { numberBatches, waitingBatch } from '../store/number-batches.ts';
import { createSerial } from '../store/serial.ts';
import { compactLog } from './compact-log.ts';
import { batchLine } from './fact-line.ts';
import { createLogWriter } from './log-writer.ts';
import { readBatches, removeReplaced } from './read-batches.ts';
import { type RecoveredLog, recoverLog } from './recover-log.ts';
import { expectPlainFile } from './segment.ts';

/** How a log of facts is opened. */
export interface FactLogOptions {
  /** Takes a line for people about bytes that a crash left and that were cut off. Default: the line is dropped. */
  readonly log?: (line: string) => void;
  /** Bytes after which a new file begins. Default 64 MiB. */
  readonly segmentBytes?: number;
}

/** The number of the format that this version writes and reads. */
const format = 1;

const storeSchema = schema.object({
  format: schema.oneOf([format]),
  id: schema.matching(/^[\w-]{8,64}$/, 'an id'),
});
const formatSchema = schema.partOf({ format: schema.integer({ min: 1 }) });

/**
 * Opens the log of facts in a folder, which is made if it is not there; one process writes at a time.
 *
 * A batch is durable when `append` resolves, whatever moment the power is cut at. Opening cuts off the end of an append that a crash
 * interrupted, and refuses all other damage.
 *
 * @throws FuzzError `runtime`: another process has the log open. `data`: damage, with the file and the line; a newer format.
 *   `storage`: nothing can be written there.
 * @example
 * const facts = await openFactLog('facts');
 * const france = { head: 'France', relation: 'borders', tail: 'Spain' };
 * await facts.append({ at: new Date().toISOString(), changes: [{ does: 'add', ...france }] });
 * await facts.close();
 */
export async function openFactLog(folder: string, options: FactLogOptions = {}): Promise<FactStore> {
  expectText('folder of facts', folder, 'usage');
  expectOptions('openFactLog', options, []);
  const { log = () => {}, segmentBytes = 64 * 2 ** 20 } = options;
  schema.parse(schema.integer({ min: 1 }), segmentBytes, { code: 'usage', what: 'segmentBytes' });
  // A server that was killed in its container starts again beside its own lock.
  const lock = await lockFolder(folder, { restarts: true });
  try {
    const id = await identityOf(folder);
    return createFactLog({ folder, id, lock, segmentBytes, recovered: await recoverLog(folder, log) });
  } catch (cause) {
    await lock.release();
    throw cause;
  }
}

interface OpenedLog {
  readonly folder: string;
  readonly id: string;
  readonly lock: Lock;
  readonly segmentBytes: number;
  readonly recovered: RecoveredLog;
}

function createFactLog({ folder, id, lock, segmentBytes, recovered }: OpenedLog): FactStore {
  const { segments, keys } = recovered;
  let { epoch, compacted } = recovered;
  let closing: Promise<void> | undefined;
  const writer = createLogWriter({ folder, segments, segmentBytes });
  /** What changes the list of segments. */
  const serial = createSerial();
  const compactions = createSerial();
  const queue = createAppendQueue({
    earlier: keys.get,
    write: (group) =>
      serial(async () => {
        const flushed = epoch;
        const { numbered, epochs } = numberBatches(group, flushed, keys.get);
        if (numbered.length === 0) return epochs;
        await lock.expectHeld();
        await writer.write(
          numbered.map((each) => ({ epoch: each.epoch, pieces: batchLine(each.epoch, flushed, each.body) })),
        );
        epoch += numbered.length;
        for (const { idempotencyKey, epoch: of } of numbered)
          if (idempotencyKey !== undefined) keys.set(idempotencyKey, of);
        return epochs;
      }),
  });
  const expectOpen = (): void => {
    if (closing !== undefined) throw closedError(folder);
  };

  const compact = async (): Promise<void> => {
    const begun = await serial(async () => {
      await lock.expectHeld();
      // Nothing was appended since the last compaction, or ever.
      if (epoch === compacted) return undefined;
      const number = await writer.seal();
      return { folder, number, segments: [...segments], header: { compacted: epoch, keys: keys.entries() } };
    });
    if (begun === undefined) return;
    const net = await compactLog(begun);
    await serial(async () => {
      segments.splice(0, begun.segments.length, net);
      compacted = net.last;
    });
    for (const segment of begun.segments) {
      segment.isReplaced = true;
      await removeReplaced(segment);
    }
  };

  return {
    id,
    get epoch() {
      return epoch;
    },
    async append(batch) {
      expectOpen();
      return await queue.append(waitingBatch(batch));
    },
    since(after) {
      const begin = (): void => {
        expectOpen();
        expectEpoch(after, epoch, compacted);
      };
      begin();
      // Time may pass until the reader begins.
      return readBatches({ segments, after, begin, expectOpen });
    },
    async compact() {
      expectOpen();
      await compactions(compact);
    },
    close() {
      closing ??= (async () => {
        await queue.drained();
        await compactions(async () => {});
        await writer.close().finally(() => lock.release());
      })();
      return closing;
    },
  };
}

/** The id in `store.json`, which a new store gets. */
async function identityOf(folder: string): Promise<string> {
  const path = join(folder, 'store.json');
  if (!(await pathExists(path))) {
    const lost = (await readdir(folder)).find((name) => /^(log|net)-\d+\.ndjson$/.test(name));
    if (lost !== undefined)
      throw new FuzzError('data', `store of facts: expected store.json with ${lost}, got none`, {
        path,
        hint: 'Restore the file from a copy: it has the id of the store.',
      });
    const id = randomUUID();
    await writeFileWhole(path, `${JSON.stringify({ format, id })}\n`);
    return id;
  }
  await expectPlainFile(path);
  const text = (await readWholeFile(path)).toString('utf8');
  const found = schema.recogniseJson(formatSchema, text)?.format;
  if (found !== undefined && found > format)
    throw new FuzzError('data', `store of facts: expected format ${format}, got ${found}`, {
      path,
      hint: 'Open it with a newer version of FuzzQE.',
    });
  return schema.parseJson(storeSchema, text, { code: 'data', what: 'store of facts', path }).id;
}
