import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { sessionCases } from '@fuzzqe/engine/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runParity } from '../run-parity.ts';
import { type TinyBundle, tinyBlocks, tinyBundle } from '../testing/tiny-bundle.ts';
import { bundleHost, wasmFile } from './bundle-host.ts';
import { openPage } from './chromium.ts';
import { parityRuntimes } from './registry.ts';
import { startWorker } from './workerd.ts';

/** Runs the contract of a session factory where it is bundled into, and says of each case how it went. */
const contract = `
import { readGolden, readManifest } from '@fuzzqe/bundle';
import { fetchSource, webSessions } from '@fuzzqe/edge';
import { sessionCases } from '@fuzzqe/engine/testing';
const runContract = async (ort, source) => {
  const manifest = await readManifest(source);
  const golden = await readGolden(source, manifest, 'fp32');
  const shared = { source, manifest, golden, profile: manifest.profiles.fp32, profileName: 'fp32' };
  const outcomes = {};
  for (const { name, run } of sessionCases)
    outcomes[name] = await run({ ...shared, sessions: webSessions({ ort }) }).then(() => 'passed', String);
  return outcomes;
};`;

let bundle: TinyBundle;
let blocks: TinyBundle;
beforeAll(async () => {
  bundle = await tinyBundle('remote', ['fp32', 'fp16']);
  blocks = await tinyBlocks(['int8']);
});
afterAll(() =>
  Promise.all([bundle, blocks].map(({ directory }) => rm(directory, { recursive: true, force: true }))),
);

const allPassed = Object.fromEntries(sessionCases.map(({ name }) => [name, 'passed']));

const target = { directory: '', profile: 'fp32' };
const [workerd, chromium] = await Promise.all(
  (['workerd', 'chromium'] as const).map((name) => parityRuntimes[name].available(target)),
);
for (const [name, found] of Object.entries({ workerd: workerd!, chromium: chromium! })) {
  if (found.present) continue;
  if (process.env['FUZZQE_REQUIRE_RUNTIMES'] === '1')
    it(`${name} is present`, () => expect.fail(found.reason));
  else process.stderr.write(`skipped ${name}: ${found.reason}\n`);
}

describe.each(['workerd', 'chromium'] as const)('%s', (name) => {
  const found = name === 'workerd' ? workerd! : chromium!;
  it.skipIf(!found.present)('answers every query in every profile like float64', async () => {
    const { cells } = await runParity({
      bundle: bundle.directory,
      runtimes: [name],
      fresh: 2,
      trees: 10,
      seed: 3,
    });
    expect(cells.map(({ profile, failures }) => ({ profile, failures }))).toEqual([
      { profile: 'fp32', failures: [] },
      { profile: 'fp16', failures: [] },
    ]);
    for (const { modes } of cells) {
      // By four kinds of plan, and what was drawn without what is known.
      expect(modes.embedding.compared).toBe(14 * 5 * 4 + 10 + 14 * 2 + 10);
      expect(modes.sets.compared).toBeGreaterThan(50);
    }
  });
});

it.each(['workerd', 'chromium'] as const)(
  '%s answers a model of blocks in int8 like float64',
  async (name) => {
    if (!(name === 'workerd' ? workerd! : chromium!).present) return;
    const { cells } = await runParity({
      ...{ bundle: blocks.directory, runtimes: [name] },
      ...{ fresh: 2, trees: 0, seed: 3 },
    });
    expect(cells.map(({ profile, failures }) => ({ profile, failures }))).toEqual([
      { profile: 'int8', failures: [] },
    ]);
  },
);

describe.skipIf(!workerd!.present)('in workerd', () => {
  it('onnxruntime-web keeps the contract of sessions', async () => {
    const script = `${contract}
import wasm from './ort.wasm';
import { workerRuntime } from '@fuzzqe/edge/worker';
const ort = workerRuntime(wasm);
export default { fetch: async (request, { BUNDLE }) =>
  Response.json(await runContract(ort, fetchSource('http://bundle', { fetch: (address) => BUNDLE.fetch(address) }))) };`;
    const worker = await startWorker(await bundleHost(script), bundle.directory);
    try {
      expect(JSON.parse((await worker.fetch('/', '')).text)).toEqual(allPassed);
    } finally {
      await worker.close();
    }
  });

  it('a Worker answers requests that come before it is ready, and refuses a bad one', async () => {
    const script = `
import wasm from './ort.wasm';
import { fetchSource } from '@fuzzqe/edge';
import { createWorker } from '@fuzzqe/edge/worker';
// A slow processor: work that takes turns pauses, and requests do each other's pieces.
let time = 0;
Object.defineProperty(performance, 'now', { value: () => { time += 3; return time; } });
export default createWorker({
  wasm,
  source: ({ BUNDLE }) => fetchSource('http://bundle', { fetch: (address) => BUNDLE.fetch(address) }),
});`;
    const worker = await startWorker(await bundleHost(script), {
      // Slow graphs: requests wait for sessions that others of them open.
      async bundle(path) {
        if (path.endsWith('.onnx')) await new Promise((resolve) => setTimeout(resolve, 200));
        return new Response(Uint8Array.from(await readFile(join(bundle.directory, path))));
      },
    });
    const ask = (query: unknown, mode = 'sets'): ReturnType<typeof worker.fetch> =>
      worker.fetch(
        '/v1/query',
        JSON.stringify({ query, k: 3, mode, ...(mode === 'sets' ? { minDegree: 0 } : {}) }),
      );
    try {
      const query = 'and(project(r0, e1), not(project(r1, e2)))';
      const cold = await Promise.all(Array.from({ length: 6 }, () => ask(query)));
      expect(cold.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
      const [sets, embedding] = [cold[0]!, await ask(query, 'embedding')].map(
        ({ text }) => JSON.parse(text) as { mode: string; answers: object[] },
      );
      expect(sets).toMatchObject({ mode: 'sets', answers: [{ degree: expect.any(Number) }, {}, {}] });
      expect(embedding).toMatchObject({
        mode: 'embedding',
        answers: [{ score: expect.any(Number) }, {}, {}],
      });
      expect((await ask('project(nothing, e1)')).status).toBe(422);
    } finally {
      await worker.close();
    }
  });
});

describe.skipIf(!chromium!.present)('in Chromium', () => {
  it('onnxruntime-web keeps the contract of sessions', async () => {
    const script = `${contract}
import * as ort from 'onnxruntime-web/wasm';
ort.env.wasm.wasmPaths = { wasm: '/ort.wasm' };
export const run = () => runContract(ort, fetchSource(location.origin + '/bundle'));`;
    const page = await openPage({
      script: await bundleHost(script),
      wasm: wasmFile('wasm'),
      bundle: bundle.directory,
    });
    try {
      expect(JSON.parse(await page.call('host.run().then(JSON.stringify)'))).toEqual(allPassed);
    } finally {
      await page.close();
    }
  });
});
