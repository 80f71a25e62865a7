// How long a page waits for its first answer: with nothing kept, from Cache Storage, and without a network.
//
//   npm run build && node bench/browser.mjs BUNDLE [--runtime wasm|webgpu|javascript] [--threads 1] [--first javascript|runtime] [--rounds 5] [--chromium /usr/bin/chromium]
//
// Headless Chromium, a site on this machine, the one file of @fuzzqe/edge, kept by HTTP as that of a CDN is. Times are from the navigation to the
// first answer by fuzzy sets, which the page asks for by itself, so the script's are in them; that of wasm is computed in JavaScript unless
// `--first runtime` has it wait for WebAssembly. `on the runtime` is when all graphs of sets run there. `warm` loads the page again in its tab;
// `new browser` is begun on the profile of an earlier one. `compile` is what the runtime's .wasm file alone takes in the same page, from the copy
// that was kept: a measure of the machine. `offline` is from the call. The processor's times are of all processes of the browser. The longest task is of the page's main thread, while it loads, opens, answers,
// explains, searches names and describes an entity. WebGPU is computed by SwiftShader, on the CPU.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';
import { longestTask } from './browser/longest-task.mjs';
import { serveSite } from './browser/site.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    runtime: { type: 'string', default: 'wasm' },
    threads: { type: 'string', default: '1' },
    first: { type: 'string', default: 'javascript' },
    rounds: { type: 'string', default: '5' },
    chromium: { type: 'string', default: '/usr/bin/chromium' },
  },
});
const [bundle] = positionals;
if (bundle === undefined) throw new Error('usage: node bench/browser.mjs BUNDLE');
const options = { runtime: values.runtime, threads: Number(values.threads), firstAnswers: values.first };
const path = options.threads > 1 ? '/isolated/' : '/';

/** Opens and asks in a page, and tells when that was done, in milliseconds since the navigation. */
const visit = async (rest) => {
  const { openBundle, parseQueryText } = globalThis.fuzzqe;
  const called = performance.now();
  const engine = await openBundle('/bundle', rest);
  const opened = performance.now();
  const { vocabulary, facts } = engine;
  const head = facts.index.headOffsets.lastIndexOf(0);
  const relation = facts.index.groupRelations[0];
  const name = `${vocabulary.relation(relation & ~1).key}`;
  const inverse = relation % 2 === 1 ? '^-1' : '';
  const query = parseQueryText(`project(<${name}>${inverse}, <${vocabulary.entity(head).key}>)`, vocabulary);
  await engine.answer(query);
  const answered = performance.now();
  Object.assign(globalThis, { engine, query });
  return { called, opened, answered };
};
const begins = `globalThis.visit = () => (${visit})(${JSON.stringify(options)});
if (location.search === '') globalThis.visited = globalThis.visit();`;

const script = await readFile(new URL('../packages/edge/dist/fuzzqe-browser.js', import.meta.url), 'utf8');
const site = await serveSite(script, bundle, { begins, keepsScript: true });
const webgpu = ['--enable-unsafe-webgpu', '--use-webgpu-adapter=swiftshader', '--enable-features=Vulkan'];
const launching = {
  executablePath: values.chromium,
  chromiumSandbox: false,
  args: [
    '--disable-dev-shm-usage',
    '--disable-quic',
    ...(options.runtime === 'webgpu' ? webgpu : ['--disable-gpu']),
  ],
};
const browser = await chromium.launch(launching);
const system = await browser.newBrowserCDPSession();

/** What all processes of the browser have used of the processor, in milliseconds. */
const processorTime = async () => {
  const { processInfo } = await system.send('SystemInfo.getProcessInfo');
  return processInfo.reduce((sum, { cpuTime }) => sum + 1000 * cpuTime, 0);
};

const address = `http://127.0.0.1:${site.port}${path}`;

/** Waits until the runtime computes and the browser has nothing to do, as somebody does who reads the answer; returns when the former was. */
const staysOn = async (page) => {
  const began = await page.evaluate(async () => {
    await globalThis.engine.warmUp('sets');
    return performance.now();
  });
  await new Promise((settle) => setTimeout(settle, 1000));
  return began;
};

/** Loads the page, which opens and asks. */
const load = async (page) => {
  const before = await processorTime();
  await page.goto(address);
  const times = await page.evaluate(() => globalThis.visited);
  return { ...times, processor: (await processorTime()) - before };
};

const compile = (page) =>
  page.evaluate(async () => {
    const cache = await caches.open('fuzzqe-runtime');
    const key = (await cache.keys()).find(({ url }) => url.includes('.wasm?'));
    const begun = performance.now();
    await WebAssembly.compileStreaming(await cache.match(key));
    return performance.now() - begun;
  });

const rows = {
  cold: [],
  'cold, of the processor': [],
  'cold, on the runtime': [],
  warm: [],
  'warm, of the processor': [],
  'warm, on the runtime': [],
  'openBundle alone, warm': [],
  'new browser': [],
  compile: [],
  offline: [],
};
for (let round = 0; round < Number(values.rounds); round += 1) {
  const context = await browser.newContext();
  const page = await context.newPage();
  const cold = await load(page);
  rows.cold.push(cold.answered);
  rows['cold, of the processor'].push(cold.processor);
  rows['cold, on the runtime'].push(await staysOn(page));
  const warm = await load(page);
  rows.warm.push(warm.answered);
  rows['warm, of the processor'].push(warm.processor);
  rows['warm, on the runtime'].push(await staysOn(page));
  rows['openBundle alone, warm'].push(warm.opened - warm.called);
  if (options.runtime !== 'javascript') rows.compile.push(await compile(page));
  await page.goto(`${address}?later`);
  await context.setOffline(true);
  const { called, answered } = await page.evaluate(() => globalThis.visit());
  rows.offline.push(answered - called);
  await context.close();
}
const profile = await mkdtemp(join(tmpdir(), 'fuzzqe-bench-'));
for (let round = 0; round <= Number(values.rounds); round += 1) {
  const context = await chromium.launchPersistentContext(profile, launching);
  const page = await context.newPage();
  await page.goto(address);
  const { answered } = await page.evaluate(() => globalThis.visited);
  await staysOn(page);
  // The first fills the profile.
  if (round > 0) rows['new browser'].push(answered);
  await context.close();
}
await rm(profile, { recursive: true, force: true });
const page = await (await browser.newContext()).newPage();
const task = await longestTask(browser, page, async () => {
  await load(page);
  await page.evaluate(async () => {
    const { engine, query } = globalThis;
    await engine.answer(query, { mode: 'embedding' });
    await engine.answer(query, { explain: true, k: 5 });
    await engine.searchEntities(engine.vocabulary.entity(1).label);
    await engine.describeEntity(1);
  });
});
await browser.close();
await site.close();

const median = (all) => all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)];
for (const [name, all] of Object.entries(rows)) {
  if (all.length === 0) continue;
  const shown = [median(all), Math.min(...all), Math.max(...all)].map((each) => `${Math.round(each)} ms`);
  process.stdout.write(`${name.padEnd(24)} median ${shown[0]}, from ${shown[1]} to ${shown[2]}\n`);
}
process.stdout.write(
  `longest task of the page  ${task.processor.toFixed(1)} ms of the processor, ${task.clock.toFixed(1)} ms by the clock\n`,
);
