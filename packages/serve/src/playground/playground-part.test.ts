import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { type App, createApp } from '@fuzzqe/api';
import { sha256Hex } from '@fuzzqe/bundle';
import { type Engine, openEngine } from '@fuzzqe/engine';
import { memoryBundle, referenceSessions } from '@fuzzqe/engine/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { playgroundPart } from './playground-part.ts';

let folder = '';
let engine: Engine;
let app: App;
let withBundle: App;
let withGpu: App;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fuzzqe-page-'));
  await mkdir(join(folder, 'page/assets'), { recursive: true });
  await writeFile(join(folder, 'page/index.html'), '<!doctype html><title>page</title>');
  await writeFile(join(folder, 'page/assets/index-Ab3_cdE9.js'), 'export {};'.repeat(100));
  await writeFile(join(folder, 'page/assets/tiny-Ab3_cdE9.js'), '1');
  await writeFile(join(folder, 'secret.txt'), 'classified');
  const { source, config, parameters } = await memoryBundle();
  engine = await openEngine({ source, sessions: referenceSessions(config, parameters) });
  const bundle = join(folder, 'bundle');
  for (const file of ['manifest.json', ...Object.keys(engine.manifest.files).slice(0, 3)]) {
    await mkdir(join(bundle, file, '..'), { recursive: true });
    await writeFile(join(bundle, file), await source.read(file));
  }
  await writeFile(join(bundle, 'notes.txt'), 'classified');
  const page = join(folder, 'page');
  app = createApp(engine, { mount: [playgroundPart({ folder: page })] });
  const part = playgroundPart({
    folder: page,
    // As a command names it.
    bundleOf: (model) => (model === engine.manifest.name ? relative(process.cwd(), bundle) : undefined),
  });
  withBundle = createApp(engine, { mount: [part] });
  const gpuRuntime = { path: 'runtime-1.2.3/gpu.wasm', file: join(folder, 'gpu.wasm') };
  await writeFile(gpuRuntime.file, 'gpu');
  withGpu = createApp(engine, {
    mount: [playgroundPart({ folder: page, bundleOf: () => bundle, gpuRuntime })],
  });
});
afterAll(async () => {
  await engine.close();
  await rm(folder, { recursive: true, force: true });
});

const headersOf = (response: Response, ...names: string[]): (string | null)[] =>
  names.map((name) => response.headers.get(name));

describe('the playground of a server', () => {
  it('has the runtime for WebGPU in its page where it is given one, and says so to the page', async () => {
    const config = await (await withGpu.request('/playground/playground.json')).json();
    expect(config).toEqual({ server: '..', bundle: 'bundles/{model}/', webgpu: true });
    const runtime = await withGpu.request('/playground/runtime-1.2.3/gpu.wasm');
    expect(await runtime.text()).toBe('gpu');
    expect(headersOf(runtime, 'content-type', 'cross-origin-embedder-policy', 'cache-control')).toEqual([
      'application/wasm',
      'require-corp',
      'public, max-age=31536000, immutable',
    ]);
    expect((await withBundle.request('/playground/runtime-1.2.3/gpu.wasm')).status).toBe(404);
  });

  it('sends its page isolated, under a policy without anything inline, and asks for it each time', async () => {
    const moved = await app.request('/playground');
    expect([moved.status, moved.headers.get('location')]).toEqual([308, 'playground/']);
    const root = await app.request('/', { headers: { accept: 'text/html,*/*;q=0.8' } });
    expect([root.status, root.headers.get('location')]).toEqual([302, 'playground/']);
    for (const headers of [{}, { accept: '*/*' }, { accept: 'application/json' }])
      expect(await (await app.request('/', { headers })).json()).toHaveProperty('endpoints');
    const page = await app.request('/playground/');
    expect(await page.text()).toContain('<title>page</title>');
    expect(
      headersOf(page, 'cross-origin-opener-policy', 'cross-origin-embedder-policy', 'cache-control'),
    ).toEqual(['same-origin', 'require-corp', 'no-cache']);
    const policy = page.headers.get('content-security-policy');
    expect(policy).toContain("script-src 'self' 'wasm-unsafe-eval'");
    expect(policy).not.toMatch(/unsafe-(?:inline|eval(?<!wasm-unsafe-eval))|\*|https?:/);
    expect(await (await app.request('/playground/playground.json')).json()).toEqual({ server: '..' });
  });

  it('lets files whose names tell their content be kept, and compresses them', async () => {
    const headers = { 'accept-encoding': 'br, gzip' };
    const script = await app.request('/playground/assets/index-Ab3_cdE9.js', { headers });
    expect(headersOf(script, 'cache-control', 'content-encoding', 'content-type')).toEqual([
      'public, max-age=31536000, immutable',
      'gzip',
      'text/javascript; charset=utf-8',
    ]);
    expect(`${gunzipSync(await script.arrayBuffer())}`).toBe('export {};'.repeat(100));
    const plain = await app.request('/playground/assets/index-Ab3_cdE9.js');
    expect([plain.headers.get('content-encoding'), (await plain.text()).length]).toEqual([null, 1000]);
  });

  it('compresses for whoever takes it, where that saves bytes', async () => {
    const codingOf = async (file: string, accepted: string): Promise<string | null> =>
      (
        await app.request(`/playground/assets/${file}-Ab3_cdE9.js`, {
          headers: { 'accept-encoding': accepted },
        })
      ).headers.get('content-encoding');
    expect(await codingOf('index', 'gzip;q=0, br')).toBe(null);
    expect(await codingOf('index', '*')).toBe('gzip');
    expect(await codingOf('index', 'br;q=1, GZIP; q=0.1')).toBe('gzip');
    expect(await codingOf('tiny', 'gzip')).toBe(null);
  });

  it('reads its files again after that has failed', async () => {
    const late = join(folder, 'late');
    const part = createApp(engine, { mount: [playgroundPart({ folder: late })] });
    expect((await part.request('/playground/')).status).toBe(500);
    await mkdir(late);
    await writeFile(join(late, 'index.html'), '<!doctype html>');
    const index = await part.request('/playground/');
    expect(index.status).toBe(200);
    const headers = { 'accept-encoding': 'gzip' };
    await rm(join(late, 'index.html'));
    expect((await part.request('/playground/', { headers })).status).toBe(500);
    await writeFile(join(late, 'index.html'), '<p></p>'.repeat(100));
    const again = await part.request('/playground/', { headers });
    expect([again.status, again.headers.get('content-encoding')]).toEqual([200, 'gzip']);
  });

  it('sends files of a bundle as streams, by their digest and only where a client lacks them', async () => {
    const [path = '', entry] = Object.entries(engine.manifest.files)[0]!;
    const address = `/playground/bundles/${engine.manifest.name}/${path}`;
    const tag = `"${entry!.sha256}"`;
    const whole = await withBundle.request(address);
    expect(headersOf(whole, 'content-length', 'etag')).toEqual([`${entry!.bytes}`, tag]);
    expect(await sha256Hex(new Uint8Array(await whole.arrayBuffer()))).toBe(entry!.sha256);
    const head = await withBundle.request(address, { method: 'HEAD' });
    expect(headersOf(head, 'content-length', 'etag')).toEqual([`${entry!.bytes}`, tag]);
    expect(head.body).toBe(null);
    for (const [known, status] of [
      [`"other", W/${tag}`, 304],
      ['*', 304],
      ['"other"', 200],
    ] as const) {
      const response = await withBundle.request(address, { headers: { 'if-none-match': known } });
      expect([response.status, response.headers.get('etag')]).toEqual([status, tag]);
      await response.body?.cancel();
    }
  });

  it('sends no file of a bundle whose bytes are no longer those of its digest, and sends it again once they are', async () => {
    const [path = '', entry] = Object.entries(engine.manifest.files)[0]!;
    const address = `/playground/bundles/${engine.manifest.name}/${path}`;
    const file = join(folder, 'bundle', path);
    const content = await readFile(file);
    const other = Uint8Array.from(content);
    other[0]! ^= 1;
    for (const altered of [Buffer.alloc(10), Buffer.alloc(content.length + 1), other]) {
      await writeFile(file, altered);
      for (const init of [{}, { method: 'HEAD' }, { headers: { 'if-none-match': `"${entry!.sha256}"` } }]) {
        const refused = await withBundle.request(address, init);
        expect([refused.status, refused.headers.get('etag')]).toEqual([500, null]);
      }
    }
    await writeFile(file, content);
    expect((await (await withBundle.request(address)).arrayBuffer()).byteLength).toBe(entry!.bytes);
  });

  it.each([
    '/playground/none.js',
    '/playground/../secret.txt',
    '/playground/%2e%2e/secret.txt',
    '/playground/..%2fsecret.txt',
    '/playground/assets',
    '/playground/bundles/random/notes.txt',
  ])('has nothing at %s', async (path) => {
    const response = await withBundle.request(path);
    expect([response.status, (await response.text()).includes('classified')]).toEqual([404, false]);
  });

  it('gives files of a bundle where that is allowed, and only those that its manifest names', async () => {
    const { name, files } = engine.manifest;
    const [path = '', entry] = Object.entries(files)[0]!;
    const address = (file: string): string => `/playground/bundles/${name}/${file}`;
    expect((await app.request(address('manifest.json'))).status).toBe(404);
    const manifest = await withBundle.request(address('manifest.json'));
    expect((await manifest.json()).name).toBe(name);
    expect((await (await withBundle.request(address(path))).arrayBuffer()).byteLength).toBe(entry!.bytes);
    for (const file of ['notes.txt', '__proto__', 'constructor', '..%2f..%2fsecret.txt'])
      expect((await withBundle.request(address(file))).status).toBe(404);
    expect((await withBundle.request('/playground/bundles/other/manifest.json')).status).toBe(404);
    const config = await (await withBundle.request('/playground/playground.json')).json();
    expect(config).toEqual({ server: '..', bundle: 'bundles/{model}/' });
  });

  it('asks for no key for its page, and for one for bundles', () => {
    const { isOpen } = playgroundPart({ folder });
    const open = ['/playground', '/playground/', '/playground/assets/index.js', '/playground/bundles'];
    const closed = ['/playground/bundles/m/manifest.json', '/v1/query', '/', '/playgrounds'];
    expect(open.map((path) => isOpen?.(path))).toEqual(open.map(() => true));
    expect(closed.map((path) => isOpen?.(path))).toEqual(closed.map(() => false));
  });
});
