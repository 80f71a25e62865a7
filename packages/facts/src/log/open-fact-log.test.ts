import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FactStore, openFactLog } from '../index.ts';
import { describeFactStore } from '../testing/index.ts';

let root = '';
let made = 0;
const folders = new Map<FactStore, string>();
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'fuzzqe-facts-'));
});
afterAll(() => rm(root, { recursive: true }));

/** Opens a log whose files hold a few batches, or one file. */
const openIn = async (folder: string, segmentBytes: number): Promise<FactStore> => {
  const store = await openFactLog(folder, { segmentBytes });
  folders.set(store, folder);
  return store;
};

for (const segmentBytes of [64 * 2 ** 20, 200])
  describeFactStore(
    `in a folder with files of ${segmentBytes} bytes`,
    { describe, it, expect },
    {
      open: () => {
        made += 1;
        return openIn(join(root, `${made}`), segmentBytes);
      },
      reopen: (store) => openIn(folders.get(store)!, segmentBytes),
    },
  );
