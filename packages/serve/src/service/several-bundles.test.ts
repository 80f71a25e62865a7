import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readManifest, sealManifest } from '@fuzzqe/bundle';
import { memoryBundle } from '@fuzzqe/engine/testing';
import { exportMemoryBundle } from '@fuzzqe/parity/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { folderSource } from '../bundle-source.ts';
import { bytesOfModel } from '../models/bytes-of-model.ts';
import { startQuietService } from '../testing/start-quiet-service.ts';
import type { Service } from './start-service.ts';

let folder = '';
let logged = (): string => '';
let bytes = 0;
let service: Service | undefined;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fuzzqe-several-'));
  await exportMemoryBundle(join(folder, 'a'), await memoryBundle(), { profiles: ['fp32'], golden: 2 });
  bytes = bytesOfModel(await readManifest(folderSource(join(folder, 'a'))));
  for (const name of ['b', 'c', 'd']) await copyAs(name, name);
  await copyAs('a', 'a');
});
afterEach(() => service?.close());
afterAll(() => rm(folder, { recursive: true, force: true }));

/** The bundle of the folder `a` under another name, in a folder of its own. */
async function copyAs(name: string, place: string): Promise<string> {
  const target = join(folder, place);
  if (place !== 'a') await cp(join(folder, 'a'), target, { recursive: true });
  const { sha256: _, ...manifest } = await readManifest(folderSource(target));
  await writeFile(join(target, 'manifest.json'), await sealManifest({ ...manifest, name }));
  return target;
}

async function start(names: readonly string[], flags: Record<string, string> = {}): Promise<Service> {
  const bundles = names.map((name) => join(folder, name));
  ({ service, logged } = await startQuietService({ bundles, flags }));
  return service;
}

const ask = (url: string, model?: string): Promise<Response> =>
  fetch(`${url}/v1/${model === undefined ? '' : `models/${model}/`}query`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: 'project(r0, e1)', k: 3 }),
  });
const json = async (address: string) => (await (await fetch(address)).json()) as Record<string, unknown>;
const statesOf = async (url: string): Promise<unknown> =>
  Object.fromEntries(
    ((await json(`${url}/v1/models`))['models'] as { name: string; status: string }[]).map(
      ({ name, status }) => [name, status],
    ),
  );

describe('a service of several bundles', () => {
  it('opens what its bytes have room for, the others when they are asked for, and counts both', async () => {
    const { url, opened } = await start(['a', 'b', 'c'], { modelBytes: `${Math.floor(2.5 * bytes)}` });
    expect((await opened).map(({ manifest }) => manifest.name)).toEqual(['a', 'b']);
    expect(await json(`${url}/readyz`)).toEqual({
      ok: true,
      models: { open: 2, closed: 1, opening: 0, failed: {} },
    });
    expect(await statesOf(url)).toEqual({ a: 'open', b: 'open', c: 'closed' });
    // The list opens nothing.
    expect(await statesOf(url)).toEqual({ a: 'open', b: 'open', c: 'closed' });
    const expected = await (await ask(url)).text();
    for (const name of ['a', 'c', 'b', 'c', 'a', 'c'])
      expect(await (await ask(url, name)).text()).toBe(expected);
    expect(await statesOf(url)).toEqual({ a: 'open', c: 'open', b: 'closed' });
    expect((await ask(url, 'none')).status).toBe(404);
    const metrics = await (await fetch(`${url}/metrics`)).text();
    expect(metrics).toContain('fuzzqe_models_open 2');
    expect(metrics).toContain(`fuzzqe_models_bytes ${2 * bytes}`);
    expect(metrics).toContain('fuzzqe_model_openings_total{outcome="opened"} 5');
    expect(metrics).toContain('fuzzqe_model_evictions_total 3');
    expect(metrics).toContain('fuzzqe_model_open_seconds_count 5');
    const line = logged()
      .split('\n')
      .find((each) => each.includes('worker threads and memory'));
    expect(JSON.parse(line!)).toMatchObject({ workersBy: 'setting', modelBytesBy: 'setting', bundles: 3 });
  });

  it('drops no request while models are opened and closed under load', async () => {
    const { url, opened } = await start(['a', 'b', 'c', 'd'], { modelBytes: `${Math.floor(2.5 * bytes)}` });
    await opened;
    const expected = await (await ask(url)).text();
    const seen = new Set<string>();
    await Promise.all(
      Array.from({ length: 6 }, async (_, client) => {
        for (let i = 0; i < 8; i++) {
          const response = await ask(url, 'abcd'[(client + i * 3) % 4]!);
          seen.add(`${response.status} ${await response.text()}`);
        }
      }),
    );
    expect([...seen]).toEqual([`200 ${expected}`]);
    const metrics = await (await fetch(`${url}/metrics`)).text();
    expect(Number(/fuzzqe_model_evictions_total (\d+)/.exec(metrics)![1])).toBeGreaterThan(2);
    expect(Number(/fuzzqe_models_open (\d+)/.exec(metrics)![1])).toBeLessThanOrEqual(2);
  });

  it('serves the others where one is broken, says why, and takes the bundle when it is mended', async () => {
    const broken = await copyAs('broken', 'broken');
    const weights = join(broken, 'models/fp32/weights.bin');
    const whole = await readFile(weights);
    await writeFile(weights, whole.toReversed());
    await mkdir(join(folder, 'empty'));
    const { url, opened, reload } = await start(['broken', 'a', 'empty']);
    expect((await opened).map(({ manifest }) => manifest.name)).toEqual(['a']);
    const { ok, models } = await json(`${url}/readyz`);
    const why = 'Files of the bundle are missing, altered, damaged or not signed.';
    expect([ok, models]).toEqual([
      true,
      { open: 1, closed: 0, opening: 0, failed: { broken: why, empty: why } },
    ]);
    const refused = await ask(url, 'broken');
    expect([refused.status, await refused.json()]).toEqual([
      500,
      expect.objectContaining({ code: 'bundle', detail: `model broken cannot be opened. ${why}` }),
    ]);
    // The default model is the broken one: another is not named for it.
    expect(await json(`${url}/healthz`)).toEqual({ ready: true });
    expect([(await ask(url, 'a')).status, (await ask(url, 'empty')).status]).toEqual([200, 500]);
    const lines = logged()
      .split('\n')
      .filter((line) => line.includes('cannot be opened: requests'));
    expect(lines.map((line) => JSON.parse(line).model)).toEqual(['empty', 'broken']);
    expect(lines[1]).toContain('models/fp32/weights.bin: altered');
    await writeFile(weights, whole);
    await rm(join(folder, 'empty'), { recursive: true });
    await copyAs('mended', 'empty');
    await reload();
    expect([(await ask(url, 'broken')).status, (await ask(url, 'mended')).status]).toEqual([200, 200]);
    expect(await statesOf(url)).toEqual({ broken: 'open', a: 'open', mended: 'open' });
  });

  it('closes no other bundle for one whose files are damaged', async () => {
    const weights = join(await copyAs('damaged', 'damaged'), 'models/fp32/weights.bin');
    const modelBytes = `${Math.floor(1.5 * bytes)}`;
    const { url, opened } = await start(['a', 'damaged'], { modelBytes });
    await opened;
    const whole = await readFile(weights);
    await writeFile(weights, whole.toReversed());
    const refused = await ask(url, 'damaged');
    expect([refused.status, await refused.json()]).toEqual([
      500,
      expect.objectContaining({ code: 'bundle' }),
    ]);
    expect(await statesOf(url)).toEqual({ a: 'open', damaged: 'failed' });
    expect(await json(`${url}/healthz`)).toMatchObject({ name: 'a', ready: true });
    // A bundle that is whole takes the place.
    await service!.close();
    await copyAs('other', 'other');
    const { url: next, opened: both } = await start(['a', 'other'], { modelBytes });
    await both;
    expect((await ask(next, 'other')).status).toBe(200);
    expect(await statesOf(next)).toEqual({ a: 'closed', other: 'open' });
  });

  it('takes a new version of a model that is closed and of one that is open', async () => {
    for (const name of ['open', 'closed']) await copyAs(name, `${name}/1`);
    const { url, opened, reload } = await start(['open', 'closed'], {
      modelBytes: `${Math.floor(1.5 * bytes)}`,
    });
    await opened;
    for (const name of ['open', 'closed']) await copyAs(name, `${name}/2`);
    await reload();
    const versions = (await json(`${url}/v1/models`))['models'] as { version: string }[];
    expect(versions.map(({ version }) => version)).toEqual(['2', '2']);
    expect(await statesOf(url)).toEqual({ open: 'open', closed: 'closed' });
    expect([(await ask(url, 'open')).status, (await ask(url, 'closed')).status]).toEqual([200, 200]);
  });

  it('ends where two bundles have one name, and where no bundle opens', async () => {
    await copyAs('a', 'again');
    await expect((await start(['a', 'again'])).opened).rejects.toMatchObject({ code: 'usage' });
    await expect((await start(['none', 'neither'])).opened).rejects.toMatchObject({ code: 'bundle' });
    await expect(await start(['a', 'b'], { facts: join(folder, 'facts') }).catch((e) => e)).toMatchObject({
      code: 'usage',
    });
  });
});
