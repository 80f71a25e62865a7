import { generateKeyPairSync } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { signBundle } from '@fuzzqe/export';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { childrenNamed } from '../testing/children.ts';
import { type TinyBundle, tinyBundle } from '../testing/tiny-bundle.ts';
import { bundleHost, wasmFile } from './bundle-host.ts';
import { openPage } from './chromium.ts';
import { parityRuntimes } from './registry.ts';
import { startWorker } from './workerd.ts';

const pairs = [0, 1].map(() =>
  generateKeyPairSync('ed25519', {
    privateKeyEncoding: { format: 'pem', type: 'pkcs8' },
    publicKeyEncoding: { format: 'pem', type: 'spki' },
  }),
);
const [ours, theirs] = pairs.map(({ publicKey }) => publicKey);

let bundle: TinyBundle;
beforeAll(async () => {
  bundle = await tinyBundle('signed');
  await signBundle(bundle.directory, pairs[0]!.privateKey);
});
afterAll(() => rm(bundle.directory, { recursive: true, force: true }));

const target = { directory: '', profile: 'fp32' };
const [workerd, chromium] = await Promise.all(
  (['workerd', 'chromium'] as const).map((name) => parityRuntimes[name].available(target)),
);

describe.skipIf(!workerd!.present)('in workerd', () => {
  it('a Worker that asks for a signature serves the bundle that has it, and no other', async () => {
    const statusWith = async (key: string): Promise<number> => {
      const script = `
import wasm from './ort.wasm';
import { fetchSource } from '@fuzzqe/edge';
import { createWorker } from '@fuzzqe/edge/worker';
export default createWorker({
  wasm,
  requireSignature: ${JSON.stringify(key)},
  source: ({ BUNDLE }) => fetchSource('http://bundle', { fetch: (address) => BUNDLE.fetch(address) }),
});`;
      const worker = await startWorker(await bundleHost(script), bundle.directory);
      try {
        return (await worker.fetch('/v1/query', JSON.stringify({ query: 'project(r0, e1)' }))).status;
      } finally {
        await worker.close();
      }
    };
    expect([await statusWith(ours!), await statusWith(theirs!)]).toEqual([200, 500]);
  });

  it.skipIf(process.platform !== 'linux')(
    'a process that ends refuses what waits for it, and whoever asks later',
    async () => {
      const worker = await startWorker(
        'export default { fetch: () => new Promise((done) => setTimeout(done, 60_000)) };',
        bundle.directory,
      );
      const refused = { code: 'runtime', message: expect.stringMatching(/^workerd: /) };
      try {
        const waiting = expect(worker.fetch('/', '')).rejects.toMatchObject(refused);
        await new Promise((resolve) => setTimeout(resolve, 200));
        const ours = childrenNamed(/^workerd$/);
        expect(ours).toHaveLength(1);
        process.kill(ours[0]!, 'SIGKILL');
        await waiting;
        await expect(worker.fetch('/', '')).rejects.toMatchObject(refused);
      } finally {
        await worker.close();
      }
    },
  );
});

describe.skipIf(!chromium!.present)('in Chromium', () => {
  it('a page that asks for a signature opens the bundle that has it, and no other', async () => {
    const script = `
import { fetchSource, webSessions } from '@fuzzqe/edge';
import { openEngine } from '@fuzzqe/engine';
import * as ort from 'onnxruntime-web/wasm';
export const open = (requireSignature) =>
  openEngine({ source: fetchSource(location.origin + '/bundle'), sessions: webSessions({ ort }), requireSignature }).then(() => 'opened', String);`;
    const page = await openPage({
      script: await bundleHost(script),
      wasm: wasmFile('wasm'),
      bundle: bundle.directory,
    });
    try {
      expect(await page.call(`host.open(${JSON.stringify(ours)})`)).toBe('opened');
      const refused = await page.call(`host.open(${JSON.stringify(theirs)})`);
      expect(refused).toMatch(/signature: expected one of manifest.json by the key [0-9a-f]{16}/);
    } finally {
      await page.close();
    }
  });
});
