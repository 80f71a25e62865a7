import { readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { asEntityId, asRelationId } from '@fuzzqe/core';
import { entity, project } from '@fuzzqe/core/query';
import { collectGarbage, tinyBundle } from '@fuzzqe/parity/testing';
import { afterEach, expect, it, vi } from 'vitest';
import type { OpenCall, WorkerEvent } from './browser-messages.ts';
import { openInWorker } from './open-in-worker.ts';

const wasm = createRequire(import.meta.url).resolve('onnxruntime-web/ort-wasm-simd-threaded.wasm');
const folders: string[] = [];
afterEach(async () => {
  vi.unstubAllGlobals();
  await Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true, force: true })));
});

/** How many copies of the weights there are in JavaScript once what nothing holds is gone. */
async function copiesOf(references: readonly WeakRef<object>[]): Promise<number> {
  await collectGarbage();
  return references.filter((reference) => reference.deref() !== undefined).length;
}

it.each(['runtime', 'javascript'] as const)(
  'weights are held by the runtime alone once the graphs of a mode are open, where first answers are of: %s',
  async (firstAnswers) => {
    const { directory } = await tinyBundle();
    folders.push(directory);
    const { length } = await readFile(join(directory, 'models/fp32/weights.bin'));
    const copies: WeakRef<object>[] = [];
    const { subtle, ...others } = crypto;
    // Who compares them has all bytes that were fetched. No spy, which would hold them.
    const digest = (algorithm: string, bytes: Uint8Array<ArrayBuffer>): Promise<ArrayBuffer> => {
      if (bytes.length === length) copies.push(new WeakRef(bytes));
      return subtle.digest(algorithm, bytes);
    };
    vi.stubGlobal('crypto', { ...others, subtle: { digest } });
    // Which a web worker has.
    for (const name of ['addEventListener', 'removeEventListener']) vi.stubGlobal(name, () => undefined);
    let weightsFetched = 0;
    vi.stubGlobal('fetch', async (address: string) => {
      const path = new URL(address).pathname.slice(1);
      if (path.endsWith('weights.bin')) weightsFetched += 1;
      const type = path.endsWith('.wasm') ? 'application/wasm' : 'application/octet-stream';
      const bytes = await readFile(path.endsWith('.wasm') ? wasm : join(directory, path));
      return new Response(Uint8Array.from(bytes), { headers: { 'content-type': type } });
    });
    const call: OpenCall = {
      ...{ does: 'open', address: 'https://example.org', headers: {}, bundle: {}, runtime: 'wasm' },
      ...{ wasm: 'https://example.org/runtime.wasm', threads: 1, warmUp: 'sets', cache: false },
      ...{ opened: undefined, grows: false, firstAnswers },
    };
    const events: WorkerEvent[] = [];
    const { ranker } = await openInWorker(
      call,
      (event) => events.push(event),
      () => expect.unreachable(),
    );
    const query = project(asRelationId(0), entity(asEntityId(1)));
    const ask = (task: 'degrees' | 'embed') => ranker.rank([{ task, query }]);
    await ask('degrees');
    if (firstAnswers === 'javascript') expect(await copiesOf(copies)).toBe(1);
    await vi.waitUntil(() => ranker.runtime.startsWith('onnxruntime-web'), { timeout: 20_000 });
    await vi.waitUntil(async () => (await copiesOf(copies)) === 0, { timeout: 20_000, interval: 100 });
    expect(weightsFetched).toBe(1);
    await ask('degrees');
    expect(weightsFetched).toBe(1);
    // The graphs of the other mode are opened by one call, which reads them once.
    await ask('embed');
    expect([weightsFetched, await copiesOf(copies)]).toEqual([2, 0]);
    expect(events.filter(({ event }) => event === 'warning')).toEqual([]);
    await ranker.close();
  },
);
