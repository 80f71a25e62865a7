import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundlePaths, readManifest, storedFiles, verifyBundle } from '@fuzzqe/bundle';
import { memoryBundle } from '@fuzzqe/engine/testing';
import { type DiskCall, observe } from '@fuzzqe/files/testing';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { folderSource } from '../index.ts';
import { hubFolder } from './hub-folder.ts';

vi.mock('node:fs/promises', async (original) =>
  (await import('@fuzzqe/files/testing')).observedFiles(await original()),
);

const commit = '0123456789abcdef0123456789abcdef01234567';
let hub: Server;
let root: string;
let files: ReadonlyMap<string, Uint8Array>;

beforeAll(async () => {
  const { source } = await memoryBundle();
  const paths = [bundlePaths.manifest, ...Object.keys(storedFiles(await readManifest(source)))];
  files = new Map(await Promise.all(paths.map(async (path) => [path, await source.read(path)] as const)));
  hub = createServer(({ url }, response) => {
    const path = /^\/ann\/mine\/resolve\/[0-9a-f]{40}\/(.+)$/.exec(url!)?.[1];
    const bytes = path === undefined ? JSON.stringify({ sha: commit }) : files.get(path);
    response.writeHead(bytes === undefined ? 404 : 200, { etag: '"1"' }).end(bytes);
  });
  hub.listen(0, '127.0.0.1');
  await once(hub, 'listening');
});
afterAll(async () => {
  hub.closeAllConnections();
  await new Promise((resolve) => hub.close(resolve));
});
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'fuzzqe-hub-disk-'));
  return () => rm(root, { recursive: true, force: true });
});

const fetchIt = (): Promise<string> =>
  hubFolder('hf://ann/mine', {
    endpoint: `http://127.0.0.1:${(hub.address() as AddressInfo).port}`, // of TCP
    token: '',
    cache: root,
    offline: false,
    retries: 1,
    retryDelay: 1,
  });
const repository = (): string => join(root, 'hub', 'ann--mine');
const present = (): Promise<string[]> => readdir(repository()).catch(() => []);

/** One call of each kind on a file of each kind, and those around the rename that puts the whole in its place. */
function chosen(calls: readonly DiskCall[], renamed: number): number[] {
  const kinds = new Map<string, number>();
  for (const [call, each] of calls.entries()) {
    const path = 'path' in each ? each.path : '';
    const kind = `${each.kind} ${/manifest|refs|lock|\.part\.json$|\.part$/.exec(path)?.[0] ?? ''}`;
    if (each.kind !== 'remove' && !kinds.has(kind)) kinds.set(kind, call);
  }
  return [...kinds.values(), renamed - 1, renamed + 1].filter((call) => call < calls.length);
}

it('a full disk is said so whichever call finds it, nothing half-fetched has the name of the commit, and the same command goes on', async () => {
  const calls = await observe(root, fetchIt);
  expect(calls.length).toBeGreaterThan(100);
  const renamed = calls.findIndex((call) => call.kind === 'rename' && call.to === join(repository(), commit));
  const tried = chosen(calls, renamed);
  expect(tried.length).toBeGreaterThan(10);
  for (const call of tried) {
    await rm(join(root, 'hub'), { recursive: true, force: true });
    const failed: unknown = await observe(root, fetchIt, { call, code: 'ENOSPC' }).catch((cause) => cause);
    const what = `call ${call}: ${JSON.stringify(calls[call])}`;
    if (call <= renamed) {
      expect(failed, what).toMatchObject({
        code: 'storage',
        message: expect.stringMatching(
          /^the cache of bundles cannot be written: .*the disk is full \(ENOSPC\)/,
        ),
        hint: expect.stringMatching(/Make room and try again.*FUZZQE_CACHE/),
      });
      expect(await present(), what).not.toContain(commit);
    }
  }
  // From what the last one left.
  const folder = await fetchIt();
  expect(folder).toBe(join(repository(), commit));
  await verifyBundle(folderSource(folder));
  expect((await present()).sort()).toEqual([commit, 'refs']);
});
