import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Engine, openGraphEngine } from '@fuzzqe/engine';
import { memoryBundle } from '@fuzzqe/engine/testing';
import { defaultWeights } from '@fuzzqe/evidence';
import { exportMemoryBundle } from '@fuzzqe/parity/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openServingEngine } from '../pool/open-serving-engine.ts';
import { readSettings } from '../settings/read-settings.ts';
import { createLog } from '../telemetry/log.ts';
import { type Service, startService } from './start-service.ts';

let folder = '';
let bundle = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fuzzqe-meanwhile-'));
  bundle = join(folder, 'tiny');
  await exportMemoryBundle(bundle, await memoryBundle(), { profiles: ['fp32'], golden: 2 });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** The graph of the bundle, without its model. */
async function graphOfBundle(name: string): Promise<Engine> {
  const { vocabulary, facts, close } = await openServingEngine({ directory: bundle, workers: 0 });
  await close();
  const { relationCount } = vocabulary;
  const evidence = { weights: defaultWeights(relationCount), rules: { relationCount, rules: [] } };
  return openGraphEngine({ vocabulary, facts, evidence, name });
}

async function start(engines: readonly Engine[], bundles: readonly string[] = []): Promise<Service> {
  const settings = await readSettings({
    flags: { port: '0', workers: '0', closeNotice: '0' },
    environment: {},
  });
  return startService({ engines, bundles, settings, log: createLog({ write: () => {} }) });
}

const ask = (url: string, body: object = {}): Promise<Response> =>
  fetch(`${url}/v1/query`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: 'project(r0, e1)', k: 3, ...body }),
  });
const modelOf = async (url: string) => (await (await fetch(`${url}/v1/models/tiny`)).json()) as object;

describe('a service of a graph without a model', () => {
  it('answers in mode sets, and lets the bundle of its name take over without a dropped request', async () => {
    const graph = await graphOfBundle('tiny');
    const service = await start([graph]);
    const { url } = service;
    expect(await service.opened).toEqual([graph]);
    expect(await modelOf(url)).toMatchObject({ version: '0', modes: ['sets'], profile: 'no model' });
    expect((await ask(url)).status).toBe(200);
    expect((await ask(url, { mode: 'embedding' })).status).toBe(400);
    const during = Array.from({ length: 20 }, () => ask(url));
    await service.open(bundle);
    for (const each of await Promise.all(during)) expect(each.status).toBe(200);
    expect(await modelOf(url)).toMatchObject({ version: '1', modes: ['sets', 'embedding'], profile: 'fp32' });
    expect((await ask(url, { mode: 'embedding' })).status).toBe(200);
    expect(graph.ready).toBe(false);
    // Its name is that of a bundle by now.
    await expect(service.open(bundle)).rejects.toMatchObject({ code: 'usage' });
    expect((await ask(url)).status).toBe(200);
    await service.close();
  });

  it('goes on with the graph if the bundle cannot be opened, and closes it at its end', async () => {
    const graph = await graphOfBundle('tiny');
    const service = await start([graph]);
    await service.opened;
    await expect(service.open(join(folder, 'none'))).rejects.toThrow();
    expect((await ask(service.url)).status).toBe(200);
    await service.close();
    expect(graph.ready).toBe(false);
  });

  it('closes the graph if a bundle beside it cannot be opened', async () => {
    const graph = await graphOfBundle('other');
    const service = await start([graph], [join(folder, 'none')]);
    await expect(service.opened).rejects.toThrow();
    await service.close();
    expect(graph.ready).toBe(false);
  });
});
