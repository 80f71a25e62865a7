import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { compareNumbers, compareRanking } from '@fuzzqe/bundle';
import { asEntityId, asRelationId, createRandom } from '@fuzzqe/core';
import { entity, instantiate, project, type Query, structureNames, structures } from '@fuzzqe/core/query';
import { openEngine, type Ranking } from '@fuzzqe/engine';
import { parityRuntimes, randomTree } from '@fuzzqe/parity';
import { type TinyBundle, tinyBundle } from '@fuzzqe/parity/testing';
import { folderSource, nodeSessions } from '@fuzzqe/serve';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { longestTask } from '../../bench/browser/longest-task.mjs';
import { type Site, type SiteAnswer, serveSite } from '../../bench/browser/site.mjs';
import { bundleBrowser } from '../../scripts/bundle-browser.mjs';
import { type Opened, open, type PageGlobals, type PageOptions, refusal, warningsIn } from './in-page.ts';

const found = await parityRuntimes.chromium.available({ directory: '', profile: 'fp32' });
if (!found.present) {
  if (process.env['FUZZQE_REQUIRE_RUNTIMES'] === '1')
    it('Chromium is present', () => expect.fail(found.reason));
  else process.stderr.write(`skipped: ${found.reason}\n`);
}

const script = await bundleBrowser({ from: 'src' });

describe('the one file for pages without a bundler', () => {
  it.each([
    ['without overlays', false, 181_500],
    ['with overlays', true, 209_200],
  ])('is small %s: nothing of a server, and each runtime once', async (_, overlay, most) => {
    const own = overlay ? await bundleBrowser({ from: 'src', overlay }) : script;
    const bytes = gzipSync(own).length;
    expect(bytes).toBeLessThan(most);
    // What stands for the code of overlays.
    expect(own.includes('indexedDB')).toBe(overlay);
    // What stands for the worker inside: without it the size would say nothing.
    expect(bytes).toBeGreaterThan(100_000);
    expect(own).not.toMatch(/sparql|problem\+json|protobufjs/i);
  });
});

// Without a graphics processor, SwiftShader computes on the CPU.
const webgpu = ['--enable-unsafe-webgpu', '--use-webgpu-adapter=swiftshader', '--enable-features=Vulkan'];

/** Opened once WebAssembly runs, and not before. */
const onWasm = { runtime: 'wasm', firstAnswers: 'runtime' } as const;

// A browser on a machine that does other work may take minutes where it takes seconds.
const patience = 300_000;

describe.skipIf(!found.present)('openBundle in Chromium', { timeout: patience }, () => {
  let bundle: TinyBundle;
  let site: Site;
  let browser: Browser;
  let queries: readonly Query[];
  let expected: { readonly degrees: readonly Float32Array[]; readonly rankings: readonly Ranking[] };
  const contexts: BrowserContext[] = [];

  beforeAll(async () => {
    bundle = await tinyBundle('browser', ['fp32', 'int8']);
    site = await serveSite(script, bundle.directory);
    browser = await chromium.launch({
      executablePath: process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium',
      chromiumSandbox: false,
      args: [
        '--disable-dev-shm-usage',
        '--disable-quic',
        '--host-resolver-rules=MAP plain.test 127.0.0.1',
        ...webgpu,
      ],
    });
    const random = createRandom('browser', 1);
    const draw = (count: number, below: number): number[] =>
      Array.from({ length: count }, () => random.below(below));
    const { entities, relations } = bundle.config;
    queries = [
      ...structureNames.map((name) => {
        const { template, ...slots } = structures[name];
        return instantiate(template, draw(slots.anchors, entities), draw(slots.relations, relations));
      }),
      ...Array.from({ length: 6 }, () => randomTree(bundle.config, 4, random)),
    ];
    const { directory } = bundle;
    const engine = await openEngine({
      source: folderSource(directory),
      sessions: nodeSessions(directory, { threads: 1 }),
    });
    expected = { degrees: await engine.degrees(queries), rankings: await engine.rank(queries, { k: 10 }) };
    await engine.close();
  }, patience);
  afterAll(async () => {
    await browser?.close();
    await site?.close();
    await rm(bundle.directory, { recursive: true, force: true });
  });

  afterEach(async () => {
    for (const context of contexts.splice(0)) await context.close();
  });

  const newPage = async (path = '/', host = '127.0.0.1'): Promise<Page> => {
    const context = await browser.newContext();
    contexts.push(context);
    context.setDefaultTimeout(patience);
    const page = await context.newPage();
    await page.goto(`http://${host}:${site.port}${path}`);
    return page;
  };

  /** What a page answers to all queries in both modes is what onnxruntime-node answers. */
  const expectParity = async (page: Page, asked = queries): Promise<void> => {
    const places = asked.map((query) => queries.indexOf(query));
    const { degrees, rankings } = await page.evaluate(async (all) => {
      const { engine } = globalThis as unknown as { engine: Opened };
      const [sets, ranked] = [await engine.degrees(all), await engine.rank(all, { k: 10 })];
      return {
        degrees: sets.map((each) => Array.from(each)),
        rankings: ranked.map(({ ids, scores }) => ({ ids: Array.from(ids), scores: Array.from(scores) })),
      };
    }, asked);
    const failures = places.flatMap((place, i) => {
      const tolerance = { absolute: 1e-6, relative: 2e-5 };
      const ranking = compareRanking(rankings[i]!, expected.rankings[place]!, tolerance);
      return [compareNumbers(degrees[i]!, expected.degrees[place]!, tolerance), ranking].flatMap(
        ({ failure }) => (failure === undefined ? [] : [`query ${place}: ${failure}`]),
      );
    });
    expect(failures).toEqual([]);
  };

  it('answers as onnxruntime-node does, keeps what it read, and needs no network the next time', async () => {
    const page = await newPage();
    const first = await open(page, onWasm);
    expect(first).toMatchObject({ runtime: 'onnxruntime-web wasm', warnings: [] });
    expect(first.progress.map(({ stage }) => stage)).toEqual(expect.arrayContaining(['runtime', 'bundle']));
    for (const { done, of } of first.progress) expect(done).toBeLessThanOrEqual(of);
    const last = first.progress.findLast(({ stage }) => stage === 'bundle')!;
    expect(last.done).toBe(last.of);
    await expectParity(page);

    site.asked.length = 0;
    await page.reload();
    const second = await open(page, onWasm);
    expect(second.warnings).toEqual([]);
    for (const stage of ['runtime', 'bundle'] as const) {
      const { done, of } = second.progress.findLast((each) => each.stage === stage)!;
      expect([done, done > 10_000]).toEqual([of, true]);
    }
    expect(site.asked).toEqual(['/', '/fuzzqe.js', '/bundle/manifest.json']);

    await page.context().setOffline(true);
    site.asked.length = 0;
    const offline = await open(page, onWasm);
    expect(offline.warnings).toEqual([
      { code: 'offline', message: expect.stringContaining('earlier visit') },
    ]);
    await expectParity(page, queries.slice(0, 3));
    expect(site.asked).toEqual([]);
  });

  it('computes on threads where memory may be shared, says where it may not, and loads from another origin', async () => {
    const page = await newPage('/isolated/');
    expect(await open(page, { ...onWasm, threads: 2, cache: false })).toMatchObject({ warnings: [] });
    // Each thread but the first is a worker of the worker.
    await expect.poll(() => page.workers().length, { timeout: 60_000 }).toBe(2);
    await expectParity(page);
    const alone = await newPage();
    const elsewhere = `http://localhost:${site.port}`;
    // The script, its runtime and the bundle are of another origin, as those of a CDN are.
    await alone.evaluate(`import('${elsewhere}/fuzzqe.js').then((all) => { globalThis.fuzzqe = all; })`);
    const { warnings } = await open(alone, {
      ...onWasm,
      threads: 2,
      address: `${elsewhere}/bundle`,
    });
    expect(warnings).toEqual([
      { code: 'threads', message: expect.stringContaining('Cross-Origin-Opener-Policy') },
    ]);
    await expectParity(alone, queries.slice(0, 3));
    await expect.poll(() => alone.workers().length, { timeout: 60_000 }).toBe(1);
  });

  it('answers on WebGPU, and goes on without when the graphics processor goes away', async () => {
    const page = await newPage();
    const { runtime, warnings } = await open(page, { runtime: 'webgpu', firstAnswers: 'runtime' });
    expect({ runtime, warnings }).toEqual({ runtime: 'onnxruntime-web webgpu', warnings: [] });
    await expectParity(page);
    const session = await browser.newBrowserCDPSession();
    // The types of the client do not have the command.
    await session.send('Browser.crashGpuProcess' as 'Browser.getVersion');
    await expectParity(page);
    expect(await warningsIn(page)).toEqual([
      { code: 'device-lost', message: expect.stringContaining('WebAssembly from now on') },
    ]);
    expect(await running(page)).toBe('onnxruntime-web wasm');
    await expect.poll(() => page.workers().length, { timeout: 60_000 }).toBe(1);
  });

  it('works where nothing may be kept, and says so', async () => {
    const page = await newPage();
    const session = await page.context().newCDPSession(page);
    const { origin } = new URL(page.url());
    await session.send('Storage.overrideQuotaForOrigin', { origin, quotaSize: 1000 });
    const { warnings } = await open(page, onWasm);
    expect(warnings.map(({ code }) => code)).toEqual(['cache', 'cache']);
    await expectParity(page, queries.slice(0, 1));
  });

  it('answers in JavaScript first, as WebAssembly does from then on', async () => {
    const page = await newPage();
    site.asked.length = 0;
    const { runtime, progress } = await open(page, {});
    expect([runtime, progress.some(({ stage }) => stage === 'runtime')]).toEqual(['JavaScript', false]);
    expect(site.asked).not.toContain('/ort-wasm-simd-threaded.wasm');
    await expectParity(page);
    await page.evaluate(() => (globalThis as unknown as { engine: Opened }).engine.warmUp());
    await expectParity(page);
    expect(await running(page)).toBe('onnxruntime-web wasm');
    expect(await warningsIn(page)).toEqual([]);
    const told = await page.evaluate(() => (globalThis as unknown as PageGlobals).progress.length);
    expect(told).toBe(progress.length);
    // Nothing was read twice.
    expect(site.asked.toSorted()).toEqual([...new Set(site.asked)].sort());
  });

  it('goes on in JavaScript where WebAssembly does not begin, and says why', async () => {
    const page = await newPage();
    await open(page, { wasm: '/elsewhere' });
    await page.evaluate(() => (globalThis as unknown as { engine: Opened }).engine.warmUp());
    await expectParity(page);
    expect(await running(page)).toBe('JavaScript');
    expect(await warningsIn(page)).toEqual([
      {
        code: 'wasm',
        message: expect.stringMatching(/: http:\S+\/elsewhere\/ort-wasm-simd-threaded.wasm: .*status 404/),
      },
    ]);
    site.asked.length = 0;
    const chosen = await open(page, { runtime: 'javascript' });
    expect(chosen).toMatchObject({ runtime: 'JavaScript', warnings: [] });
    await expectParity(page);
    expect(site.asked.filter((path) => path.includes('wasm'))).toEqual([]);
  });

  it('fetches a kept runtime again that does not begin to run, and no other', async () => {
    const page = await newPage();
    const wasm = '/ort-wasm-simd-threaded.wasm';
    const asksForRuntime = async (): Promise<boolean> => {
      site.asked.length = 0;
      await open(page, onWasm);
      return site.asked.includes(wasm);
    };
    expect(await asksForRuntime()).toBe(true);
    expect(await refusal(page, { ...onWasm, profile: 'fp16' })).toMatch(/^usage: .*profile/);
    expect(await asksForRuntime()).toBe(false);
    await page.evaluate(async () => {
      const cache = await caches.open('fuzzqe-runtime');
      const key = (await cache.keys()).find(({ url }) => url.includes('.wasm?'))!;
      // It compiles, and imports a function that nobody has: x.y of no arguments.
      const type = [1, 4, 1, 96, 0, 0];
      const imported = [2, 7, 1, 1, 120, 1, 121, 0, 0];
      const bytes = Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0, ...type, ...imported);
      await cache.put(key, new Response(bytes, { headers: { 'content-type': 'application/wasm' } }));
    });
    site.asked.length = 0;
    expect(await refusal(page, onWasm)).toMatch(/^runtime: /);
    expect(site.asked).not.toContain(wasm);
    expect(await asksForRuntime()).toBe(true);
    expect(await asksForRuntime()).toBe(false);
  });

  it('refuses what it cannot open or answer, each with what is wrong', async () => {
    const page = await newPage();
    const wasm = { ...onWasm, cache: false } as const;
    const manifest = JSON.parse(await readFile(join(bundle.directory, 'manifest.json'), 'utf8')) as object;
    const answering = async (
      path: string,
      answer: SiteAnswer,
      options: PageOptions = {},
    ): Promise<string> => {
      site.answer(path, async () => answer);
      const said = await refusal(page, { ...wasm, ...options });
      site.answer(path, undefined);
      return said;
    };
    const weights = await readFile(join(bundle.directory, 'models/fp32/weights.bin'));
    const altered = weights.with(5, weights[5]! ^ 1);
    const html = { type: 'text/html', body: '<!doctype html><title>Home</title>' };
    expect({
      missing: await refusal(page, { ...wasm, address: '/nothing' }),
      page: await answering('/bundle/manifest.json', html),
      format: await answering('/bundle/manifest.json', { body: JSON.stringify({ ...manifest, version: 1 }) }),
      other: await answering('/bundle/manifest.json', { body: '{"name": "an app"}' }),
      altered: await answering('/bundle/models/fp32/weights.bin', { body: altered }),
      profile: await refusal(page, { ...wasm, profile: 'fp16' }),
      runtime: await refusal(page, { ...wasm, wasm: '/elsewhere' }),
      script: await answering('/ort-wasm-simd-threaded.wasm', html),
      foreign: await answering('/ort-wasm-simd-threaded.wasm', {
        type: 'application/wasm',
        // A module without imports and exports.
        body: Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0),
      }),
      threads: await refusal(page, { ...wasm, threads: 0 }),
    }).toMatchObject({
      missing: expect.stringMatching(/^bundle: .*\/nothing\/manifest.json: .*status 404/),
      page: expect.stringMatching(/^bundle: .*manifest.json.*web page/),
      format: expect.stringMatching(
        /^bundle: manifest.json: version: expected [\d or]+, got 1: made by an earlier version/,
      ),
      other: expect.stringMatching(/^bundle: manifest.json: format: expected "fuzzqe-bundle"/),
      altered: expect.stringMatching(/^bundle: .*models\/fp32\/weights.bin: altered: expected sha256/),
      profile: expect.stringMatching(/^usage: .*profile: expected one of fp32, int8, got "fp16"/),
      runtime: expect.stringMatching(/^runtime: .*\/elsewhere\/ort-wasm-simd-threaded.wasm: .*status 404/),
      script: expect.stringMatching(
        /^runtime: .*ort-wasm-simd-threaded.wasm: expected a .wasm file, got a web page/,
      ),
      foreign: expect.stringMatching(
        /^runtime: .*ort-wasm-simd-threaded.wasm: expected the file of onnxruntime-web [\d.]+, got another/,
      ),
      threads: expect.stringMatching(/^usage: threads: expected an integer in \[1, 64\], got 0/),
    });
    await expect.poll(() => page.workers(), { timeout: 60_000 }).toEqual([]);

    await open(page, wasm);
    const link = (entityId: number, relationId: number): Query =>
      project(asRelationId(relationId), entity(asEntityId(entityId)));
    const refused = await page.evaluate(
      async (links) => {
        const { engine } = globalThis as unknown as { engine: Opened };
        const said = (work: Promise<unknown>): Promise<string> => work.then(() => 'answered', String);
        return {
          negative: await said(engine.answer(links.negative)),
          large: await said(engine.answer(links.large)),
          relation: await said(engine.answer(links.relation)),
          zero: await said(engine.answer(links.good, { k: 0 })),
          many: await said(engine.answer(links.good, { k: 41, mode: 'embedding' })),
          next: await said(engine.answer(links.good)),
        };
      },
      { negative: link(-1, 0), large: link(40, 0), relation: link(0, 6), good: link(0, 0) },
    );
    expect(refused).toEqual({
      negative: expect.stringMatching(/expected an integer in \[0, 40\), got -1/),
      large: expect.stringMatching(/expected an integer in \[0, 40\), got 40/),
      relation: expect.stringMatching(/expected an integer in \[0, 6\), got 6/),
      zero: expect.stringMatching(/k: .*got 0/),
      many: expect.stringMatching(/k: .*got 41/),
      next: 'answered',
    });
  });

  it('says what a browser or an address lacks before it fetches anything', async () => {
    const [plain, old] = [await newPage('/', 'plain.test'), await newPage()];
    await old.evaluate(() => {
      WebAssembly.validate = () => false;
    });
    site.asked.length = 0;
    expect(await refusal(plain, {})).toMatch(/^runtime: no crypto.subtle at http:\/\/plain.test:.*\n.*https/);
    expect(await refusal(old, onWasm)).toMatch(/^runtime: this browser has no WebAssembly with SIMD/);
    expect(site.asked).toEqual([]);
    const { runtime, warnings } = await open(old, {});
    expect({ runtime, warnings }).toEqual({
      runtime: 'JavaScript',
      warnings: [{ code: 'wasm', message: expect.stringContaining('no WebAssembly with SIMD') }],
    });
    await expectParity(old, queries.slice(0, 3));
  });

  it('gives an opening up when it is told to', async () => {
    const page = await newPage();
    site.answer('/bundle/facts.bin', () => new Promise(() => undefined));
    const said = await page.evaluate(async () => {
      const { fuzzqe } = globalThis as unknown as PageGlobals;
      const control = new AbortController();
      const opening = fuzzqe
        .openBundle('/bundle', { runtime: 'wasm', signal: control.signal })
        .then(() => 'opened', String);
      control.abort();
      const early = await opening;
      const again = new AbortController();
      const onProgress = (): void => again.abort();
      return [
        early,
        await fuzzqe
          .openBundle('/bundle', { runtime: 'wasm', signal: again.signal, onProgress })
          .then(() => 'opened', String),
      ];
    });
    site.answer('/bundle/facts.bin', undefined);
    expect(said).toEqual([expect.stringContaining('given up'), expect.stringContaining('given up')]);
    await expect.poll(() => page.workers(), { timeout: 60_000 }).toEqual([]);
  });

  it('leaves the page free: no task of its main thread computes for 50 ms', async () => {
    const page = await newPage();
    const work = async (): Promise<void> => {
      await open(page, { cache: false });
      await page.evaluate(async (all) => {
        const { engine } = globalThis as unknown as { engine: Opened };
        await engine.answerAll(all);
        await engine.answer(all[0]!, { explain: true });
        await engine.searchEntities('e 1');
        await engine.describeEntity(3);
      }, queries);
    };
    // What is long by itself is so each time: not so a page fault or a collection beside others' work.
    let least = Number.POSITIVE_INFINITY;
    for (let time = 0; time < 3 && least >= 50; time += 1)
      least = Math.min(least, (await longestTask(browser, page, work)).processor);
    expect(least).toBeLessThan(50);
    const busy = (): Promise<void> =>
      page.evaluate(() => {
        // Time of the processor, which others may use meanwhile: count, do not wait.
        let sum = 0;
        for (let i = 0; i < 3e8; i += 1) sum += i % 7;
        if (sum < 0) throw new Error('never');
      });
    expect((await longestTask(browser, page, busy)).processor).toBeGreaterThan(50);
  });

  it('holds no more memory after many questions than after a few, and no worker once it is closed', async () => {
    const page = await newPage();
    const starting = page.waitForEvent('worker');
    // The runtime makes its memory once the bundle is there: until then it is watched for.
    site.answer('/bundle/manifest.json', async () => {
      await (await starting).evaluate(watchMemories);
      return { body: await readFile(join(bundle.directory, 'manifest.json')) };
    });
    await open(page, { ...onWasm, cache: false, warmUp: 'both' });
    site.answer('/bundle/manifest.json', undefined);
    const worker = await starting;
    const heap = (): Promise<number> => worker.evaluate(bytesOfMemories);
    const ask = (times: number): Promise<void> =>
      page.evaluate(
        async ({ all, rounds }) => {
          const { engine } = globalThis as unknown as { engine: Opened };
          for (let i = 0; i < rounds; i += 1) {
            await engine.degrees(all);
            await engine.rank(all, { k: 10 });
          }
        },
        { all: queries, rounds: times },
      );
    await ask(3);
    const few = await heap();
    await ask(20);
    expect(await heap()).toBe(few);
    expect(few).toBeGreaterThan(0);
    expect(few).toBeLessThan(64e6);
    await page.evaluate(() => (globalThis as unknown as { engine: Opened }).engine.close());
    await expect.poll(() => page.workers(), { timeout: 60_000 }).toEqual([]);
  });
});

/** What answers in a page at the moment. */
function running(page: Page): Promise<string> {
  return page.evaluate(() => (globalThis as unknown as { engine: Opened }).engine.runtime);
}

/** Remembers every memory that WebAssembly gets in a worker from now on. */
function watchMemories(): void {
  const { Memory } = WebAssembly;
  const memories: WebAssembly.Memory[] = [];
  Reflect.set(globalThis, 'memories', memories);
  WebAssembly.Memory = class extends Memory {
    constructor(size: WebAssembly.MemoryDescriptor) {
      super(size);
      memories.push(this);
    }
  };
}

function bytesOfMemories(): number {
  const memories = Reflect.get(globalThis, 'memories') as readonly WebAssembly.Memory[];
  return memories.reduce((sum, { buffer }) => sum + buffer.byteLength, 0);
}
