import { once } from 'node:events';
import { appendFile, cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FuzzError } from '@fuzzqe/core';
import type { Engine } from '@fuzzqe/engine';
import { memoryBundle } from '@fuzzqe/engine/testing';
import { exportMemoryBundle } from '@fuzzqe/parity/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createAccessKey } from '../access/access-keys.ts';
import { inferenceProtocolPart } from '../inference-protocol/inference-protocol-part.ts';
import { startQuietService } from '../testing/start-quiet-service.ts';
import type { Service } from './start-service.ts';

/** The engines that services opened since the test began, which a test may alter first. */
const pool = vi.hoisted(() => ({
  engines: [] as Engine[],
  alter: async (_engine: Engine): Promise<void> => {},
}));
vi.mock('../pool/open-serving-engine.ts', async (original) => {
  const real = await original<typeof import('../pool/open-serving-engine.ts')>();
  const openServingEngine: typeof real.openServingEngine = async (options) => {
    const engine = await real.openServingEngine(options);
    pool.engines.push(engine);
    await pool.alter(engine);
    return engine;
  };
  return { ...real, openServingEngine };
});

let folder = '';
let logged = (): string => '';
const services: Service[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fuzzqe-service-'));
  await exportMemoryBundle(join(folder, 'tiny', '1'), await memoryBundle(), {
    profiles: ['fp32'],
    golden: 2,
  });
});
beforeEach(() => {
  pool.engines.length = 0;
  pool.alter = async () => {};
});
afterEach(() => Promise.all(services.splice(0).map((service) => service.close())));
afterAll(() => rm(folder, { recursive: true, force: true }));

async function start(bundles: readonly string[], flags: Record<string, string> = {}): Promise<Service> {
  const mount = [inferenceProtocolPart()];
  const started = await startQuietService({ bundles, flags, mount, playground: folder });
  services.push(started.service);
  logged = started.logged;
  return started.service;
}

const ask = (url: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${url}/v1/query`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ query: 'project(r0, e1)', k: 3 }),
  });

describe('a service', () => {
  it('listens before its bundles are open, answers then, and counts what it answers', async () => {
    const { url, opened } = await start([join(folder, 'tiny')], { playground: 'bundle' });
    const byName = [
      '/v1/models',
      '/v1/models/tiny',
      '/v1/models/tiny/entities',
      '/v2/models/tiny/ready',
      '/v2/models/tiny-1p/ready',
      '/playground/bundles/tiny/manifest.json',
    ];
    expect((await fetch(`${url}/livez`)).status).toBe(200);
    expect((await fetch(`${url}/readyz`)).status).toBe(503);
    expect((await ask(url)).status).toBe(503);
    for (const path of byName) {
      const early = await fetch(`${url}${path}`);
      expect([path, early.status, early.headers.get('retry-after')]).toEqual([path, 503, '1']);
    }
    const [engine] = await opened;
    expect(engine!.manifest.name).toBe('tiny');
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    expect((await ask(url)).status).toBe(200);
    for (const path of byName) expect([path, (await fetch(`${url}${path}`)).status]).toEqual([path, 200]);
    expect((await fetch(`${url}/v1/models/none`)).status).toBe(404);
    for (const [method, path] of [
      ['POST', '/v1/facts'],
      ['GET', '/v1/judgements/next'],
      ['PATCH', '/v1/entities'],
    ] as const) {
      const refused = await fetch(`${url}${path}`, { method });
      expect([refused.status, await refused.text()]).toEqual([
        404,
        expect.stringContaining('--facts FOLDER'),
      ]);
    }
    expect((await fetch(`${url}/v1/entities?limit=1`)).status).toBe(200);
    const text = await (await fetch(`${url}/metrics`)).text();
    expect(text).toMatch(
      /fuzzqe_model_info\{model="tiny",version="1",profile="fp32",runtime="onnxruntime[^"]*"\} 1/,
    );
    expect(text).toContain('fuzzqe_batch_size_count 1');
    expect(text).toMatch(/fuzzqe_queue_seconds_count 1\n/);
  });

  it('takes a new version and new keys when it is told to, and keeps what it has where they are damaged', async () => {
    const [ann, bob] = [createAccessKey('ann'), createAccessKey('bob')];
    const file = join(folder, 'keys.txt');
    await writeFile(file, `${ann.line}\n`);
    const service = await start([join(folder, 'tiny')], { keys: file });
    await service.opened;
    const versionOf = async (): Promise<string> => {
      const text = await (
        await fetch(`${service.url}/metrics`, { headers: { authorization: `Bearer ${ann.key}` } })
      ).text();
      return /version="(\d+)"/.exec(text)![1]!;
    };
    const asBob = { authorization: `Bearer ${bob.key}` };
    expect([(await ask(service.url, asBob)).status, await versionOf()]).toEqual([401, '1']);
    await appendFile(file, `${bob.line}\n`);
    await cp(join(folder, 'tiny/1'), join(folder, 'tiny/2'), { recursive: true });
    await service.reload();
    expect([(await ask(service.url, asBob)).status, await versionOf()]).toEqual([200, '2']);
    // A version that is damaged, and keys in clear.
    await mkdir(join(folder, 'tiny/3'));
    await writeFile(join(folder, 'tiny/3/manifest.json'), '{}');
    await writeFile(file, 'bob in-clear');
    await service.reload();
    expect([(await ask(service.url, asBob)).status, await versionOf()]).toEqual([200, '2']);
    expect(logged().match(/stays as it was/g)).toHaveLength(2);
    expect(logged()).not.toContain('in-clear');
    await rm(join(folder, 'tiny/3'), { recursive: true });
  });

  it('takes what was exported into the same folder when it is told to, and says where nothing was', async () => {
    const same = join(folder, 'same');
    await cp(join(folder, 'tiny/1'), same, { recursive: true });
    const service = await start([same]);
    const [first] = await service.opened;
    await service.reload();
    expect(logged()).toContain('no other version is there: it stays as it was');
    expect(first!.ready).toBe(true);
    await rm(same, { recursive: true });
    await exportMemoryBundle(same, await memoryBundle(), { profiles: ['fp32'], golden: 1 });
    await service.reload();
    expect(logged()).toContain('another version is served');
    expect([(await ask(service.url)).status, first!.ready]).toEqual([200, false]);
    await service.reload();
    expect(pool.engines).toHaveLength(2);
  });

  it('says which bundle is damaged, of several and when it is told to take new ones', async () => {
    const damaged = join(folder, 'damaged');
    await cp(join(folder, 'tiny/1'), damaged, { recursive: true });
    const file = join(damaged, 'manifest.json');
    const alter = async (): Promise<void> =>
      writeFile(file, (await readFile(file, 'utf8')).replace(/"name": ?"tiny"/, '"name":"tinx"'));
    const service = await start([damaged]);
    await service.opened;
    await alter();
    await service.reload();
    const line = logged()
      .split('\n')
      .find((each) => each.includes('stays as it was'))!;
    expect(JSON.parse(line).error.path).toBe(file);
    // Of several, it fails by itself.
    const several = await start([join(folder, 'tiny'), damaged]);
    await several.opened;
    expect((await ask(several.url)).status).toBe(200);
    const failed = logged()
      .split('\n')
      .find((each) => each.includes('cannot be opened'))!;
    expect(JSON.parse(failed)).toMatchObject({
      level: 'error',
      model: 'damaged',
      error: { message: expect.stringMatching(/^altered: /), path: file },
    });
  });

  it('ends where a bundle cannot be opened, or stands twice', async () => {
    const absent = await start([join(folder, 'none')]);
    await expect(absent.opened).rejects.toMatchObject({ code: 'bundle' });
    await absent.close();
    await expect(fetch(absent.url)).rejects.toThrow();
    const twice = await start([join(folder, 'tiny'), join(folder, 'tiny')]);
    await expect(twice.opened).rejects.toMatchObject({ code: 'usage' });
  });

  it('logs why a worker ended, and why none took its place', async () => {
    const observe = vi.fn<NonNullable<Engine['ranker']['observe']>>();
    pool.alter = async ({ ranker }) => {
      ranker.observe = observe;
    };
    const service = await start([join(folder, 'tiny')]);
    await service.opened;
    const [observer] = observe.mock.calls[0]!;
    observer.ended!(new FuzzError('runtime', 'out of luck'));
    observer.replaceFailed!(new FuzzError('runtime', 'out of memory'));
    const lines = logged()
      .split('\n')
      .filter((line) => line.includes('out of'));
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { level: 'error', model: 'tiny', error: { message: 'out of luck' }, msg: 'a worker ended' },
      { level: 'error', model: 'tiny', error: { message: 'out of memory' } },
    ]);
  });

  it('says where everybody may ask', async () => {
    const service = await start([join(folder, 'tiny')], { host: '0.0.0.0' });
    await service.opened;
    expect(logged()).toContain('no keys are set');
    await start([join(folder, 'tiny')]);
    expect(logged()).not.toContain('no keys are set');
  });

  it('opens no further bundle when it is closed, and leaves none open', async () => {
    for (const count of [1, 2]) {
      const early = await start(Array.from({ length: count }, () => join(folder, 'tiny')));
      const refused = expect(early.opened).rejects.toMatchObject({ code: 'interrupted' });
      await Promise.all([early.close(), refused]);
      // Several bundles are opened after all have been read.
      expect(pool.engines.map(({ ready }) => ready)).toEqual([false]);
    }
  });

  it('is closed while a bundle is fetched from a Hub that does not answer', async () => {
    let asked = (): void => {};
    const isAsked = new Promise<void>((resolve) => {
      asked = resolve;
    });
    const hub = createServer(() => asked());
    hub.listen(0, '127.0.0.1');
    await once(hub, 'listening');
    vi.stubEnv('HF_ENDPOINT', `http://127.0.0.1:${(hub.address() as AddressInfo).port}`); // of TCP
    vi.stubEnv('HF_HUB_OFFLINE', '');
    vi.stubEnv('FUZZQE_CACHE', join(folder, 'cache'));
    const service = await start(['hf://ann/mine']);
    const refused = expect(service.opened).rejects.toMatchObject({ code: 'interrupted' });
    await isAsked;
    await Promise.all([service.close(), refused]);
    vi.unstubAllEnvs();
    hub.closeAllConnections();
    await new Promise((resolve) => hub.close(resolve));
  });

  it('leaves no new version open that opened while it was closed', async () => {
    const versions = join(folder, 'closed');
    await cp(join(folder, 'tiny/1'), join(versions, '1'), { recursive: true });
    const service = await start([versions]);
    const [first] = await service.opened;
    await cp(join(folder, 'tiny/1'), join(versions, '2'), { recursive: true });
    pool.alter = async () => {
      void service.close();
      await expect.poll(() => first!.ready).toBe(false);
    };
    await service.reload();
    await service.close();
    expect(pool.engines.map(({ ready }) => ready)).toEqual([false, false]);
    expect(logged()).not.toMatch(/another version is served|did not close|stays as it was/);
  });

  it('keeps the version that it has where the engine of a new one is refused, and takes it the next time', async () => {
    const versions = join(folder, 'refused');
    await cp(join(folder, 'tiny/1'), join(versions, '1'), { recursive: true });
    const service = await start([versions]);
    const [first] = await service.opened;
    await cp(join(folder, 'tiny/1'), join(versions, '2'), { recursive: true });
    pool.alter = (engine) => engine.close();
    await service.reload();
    expect(logged()).toContain('tiny: stays as it was');
    expect(logged()).not.toMatch(/another version is served|did not close/);
    expect([(await ask(service.url)).status, first!.ready]).toEqual([200, true]);
    pool.alter = async () => {};
    await service.reload();
    expect(logged()).toContain('another version is served');
    expect(first!.ready).toBe(false);
  });
});
