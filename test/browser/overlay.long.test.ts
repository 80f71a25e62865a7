import { rm } from 'node:fs/promises';
import { createEdgeApp } from '@fuzzqe/edge';
import type { BrowserEngine, BrowserOptions, BrowserWarning } from '@fuzzqe/edge/browser';
import { deltaFacts } from '@fuzzqe/edge/facts';
import {
  type AnswerMode,
  changeable,
  createEngine,
  createLocalRanker,
  type Engine,
  openBundle,
} from '@fuzzqe/engine';
import { engineFacts, readDelta } from '@fuzzqe/facts/apply';
import { parityRuntimes } from '@fuzzqe/parity';
import { type TinyBundle, tinyBundle } from '@fuzzqe/parity/testing';
import { folderSource, nodeSessions } from '@fuzzqe/serve';
import * as ort from 'onnxruntime-web';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Site, serveSite } from '../../bench/browser/site.mjs';
import { bundleBrowser } from '../../scripts/bundle-browser.mjs';

const found = await parityRuntimes.chromium.available({ directory: '', profile: 'fp32' });
if (!found.present) {
  if (process.env['FUZZQE_REQUIRE_RUNTIMES'] === '1')
    it('Chromium is present', () => expect.fail(found.reason));
  else process.stderr.write(`skipped: ${found.reason}\n`);
}

const patience = 300_000;
const at = '2026-11-28T12:00:00Z';
/** A relation that came after the model has no embedding. */
const queriesIn = (mode: AnswerMode): readonly string[] => (mode === 'sets' ? queries : queries.slice(0, -1));
const queries = [
  ...['project(r0, e1)', 'project(r1, project(r0, e0))', 'and(project(r0, e1), not(project(r1, e2)))'],
  ...[
    'project(r0, fresh)',
    'project(r2, project(r0, fresh))',
    'or(project(r2, fresh), project(invents, e4))',
  ],
];
/** Of queries that a bundle without the delta can answer. */
const plain = queries.slice(0, 3);

/** Facts that come and go, a new entity, a new relation and a confidence, in two batches. */
function deltaOf({ facts, vocabulary }: Engine): string {
  const [head, relation, tail] = facts.forwardTriples();
  const add = { does: 'add' };
  const first = [
    { ...add, head: 'e1', relation: 'r0', tail: 'e7', source: 'a book' },
    { ...add, head: 'fresh', relation: 'r0', tail: 'e2' },
    { ...add, head: 'e0', relation: 'r0', tail: 'fresh', confidence: 0.5 },
    { ...add, head: 'e4', relation: 'invents', tail: 'e5' },
  ];
  const removed = {
    does: 'remove',
    head: vocabulary.entity(head!).key,
    relation: vocabulary.relation(relation!).key,
    tail: vocabulary.entity(tail!).key,
  };
  const second = [removed, { ...add, head: 'e3', relation: 'r2', tail: 'fresh' }];
  const creates = { entities: ['fresh'], relations: ['invents'] };
  return [
    { epoch: 1, at, by: 'ann', creates, changes: first },
    { epoch: 4, at, changes: second },
  ]
    .map((batch) => `${JSON.stringify(batch)}\n`)
    .join('');
}

/** What a page has, and what is kept there between calls. */
interface PageGlobals {
  readonly fuzzqe: {
    openBundle(address: string, options: BrowserOptions): Promise<BrowserEngine>;
    parseQueryText(
      text: string,
      vocabulary: BrowserEngine['vocabulary'],
    ): Parameters<BrowserEngine['answer']>[0];
  };
  engine?: BrowserEngine | undefined;
}
type Listed = readonly (readonly [key: string, state: string, degree: number])[];

describe.skipIf(!found.present)('an overlay in Chromium', { timeout: patience }, () => {
  let node: TinyBundle;
  let workers: TinyBundle;
  let site: Site;
  let browser: Browser;
  const contexts: BrowserContext[] = [];
  beforeAll(async () => {
    [node, workers] = await Promise.all([
      tinyBundle('overlay', ['fp32', 'int8-basis']),
      tinyBundle('overlay', ['int8-basis'], 'workers'),
    ]);
    site = await serveSite(await bundleBrowser({ from: 'src', overlay: true }), node.directory);
    browser = await chromium.launch({
      executablePath: process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium',
      chromiumSandbox: false,
      args: [
        '--disable-dev-shm-usage',
        '--disable-quic',
        ...['--enable-unsafe-webgpu', '--use-webgpu-adapter=swiftshader', '--enable-features=Vulkan'],
      ],
    });
  }, patience);
  afterAll(async () => {
    await browser?.close();
    await site?.close();
    for (const { directory } of [node, workers]) await rm(directory, { recursive: true, force: true });
  });
  afterEach(async () => {
    for (const context of contexts.splice(0)) await context.close();
  });

  const newContext = async (): Promise<BrowserContext> => {
    const context = await browser.newContext();
    contexts.push(context);
    context.setDefaultTimeout(patience);
    return context;
  };
  const newPage = async (context: BrowserContext): Promise<Page> => {
    const page = await context.newPage();
    await page.goto(`http://127.0.0.1:${site.port}/`);
    return page;
  };
  /** Opens the bundle instead of what is open, and gives the warnings. */
  const open = (page: Page, options: BrowserOptions = {}): Promise<readonly BrowserWarning[]> =>
    page.evaluate(
      async (given) => {
        // Nothing but this file writes there.
        const globals = globalThis as unknown as PageGlobals;
        await globals.engine?.close();
        const warnings: BrowserWarning[] = [];
        globals.engine = await globals.fuzzqe.openBundle('/bundle', {
          ...given,
          onWarning: (warning) => warnings.push(warning),
        });
        await Promise.resolve();
        return warnings;
      },
      { overlay: true, profile: 'fp32', runtime: 'javascript', ...options } satisfies BrowserOptions,
    );
  /** Does something with the engine of a page, by itself alone; its error is a text with its code. */
  const within = <T, Given>(
    page: Page,
    work: (engine: BrowserEngine, given: Given) => T,
    given?: Given,
  ): Promise<Awaited<T> | string> =>
    page.evaluate(`(async () => {
      try {
        return await (${work})(globalThis.engine, ${JSON.stringify(given)});
      } catch (error) {
        return error.code + ': ' + error.message;
      }
    })()`);
  const answers = (page: Page, asked: readonly string[], mode: 'sets' | 'embedding'): Promise<Listed[]> =>
    page.evaluate(
      async ([texts, how]) => {
        const { engine, fuzzqe } = globalThis as unknown as PageGlobals;
        await engine!.folded().catch(() => undefined);
        const parsed = texts.map((text) => fuzzqe.parseQueryText(text, engine!.vocabulary));
        const k = engine!.facts.entityCount;
        const all = await engine!.answerAll(parsed, { mode: how as 'sets', k });
        return all.map((each) =>
          each.answers.map((one) => [
            one.key,
            one.state,
            one.degree ?? (one as unknown as { score: number }).score,
          ]),
        );
      },
      [asked, mode] as const,
    ) as Promise<Listed[]>;
  const recorded = async (page: Page, query: string): Promise<ReadonlySet<string>> => {
    const [listed] = await answers(page, [query], 'sets');
    return new Set(listed!.flatMap(([key, state]) => (state === 'recorded' ? [key] : [])));
  };

  it('and a delta of a Worker give the answers of Node, and others than the bundle', async () => {
    const opened = changeable(await openBundle(folderSource(node.directory), { profile: 'fp32' }));
    const sessions = nodeSessions(node.directory, { threads: 1 });
    const engine = createEngine(opened, createLocalRanker(opened, { sessions }));
    const delta = deltaOf(engine);
    const asked = async (texts: readonly string[], mode: 'sets' | 'embedding'): Promise<Listed[]> => {
      const { parseQueryText } = await import('@fuzzqe/core/query');
      const all = await engine.answerAll(
        texts.map((text) => parseQueryText(text, engine.vocabulary)),
        { mode: mode as 'sets', k: engine.facts.entityCount },
      );
      return all.map((each) =>
        each.answers.map((one) => [
          one.key,
          one.state,
          one.degree ?? (one as unknown as { score: number }).score,
        ]),
      );
    };
    const before = await asked(plain, 'sets');
    const stream = new Response(delta).body as unknown as AsyncIterable<Uint8Array>;
    await engineFacts(engine).replay(readDelta(stream, 'delta'), { to: 9, atOnce: 9 });
    await engine.folded();

    const page = await newPage(await newContext());
    expect(await open(page)).toEqual([]);
    expectClose(await answers(page, plain, 'sets'), before);
    const changed = await within(page, (each, text: string) => each.overlay!.import(text), delta);
    expect(changed).toMatchObject({ epoch: 2, added: 5, removed: 1 });
    for (const mode of ['sets', 'embedding'] as const) {
      const expected = await asked(queriesIn(mode), mode);
      expectClose(await answers(page, queriesIn(mode), mode), expected);
      // At the next visit, in the worker's other runtime.
      await open(page, { runtime: 'wasm', firstAnswers: 'runtime' });
      expectClose(await answers(page, queriesIn(mode), mode), expected);
    }
    expect(await within(page, async (each) => (await each.searchEntities('fresh')).results[0]?.key)).toBe(
      'fresh',
    );
    expect(await asked(plain, 'sets')).not.toEqual(before);

    const place = {
      name: 'memory',
      read: async (known: string | undefined) => ({
        version: 'one',
        body: known === 'one' ? undefined : (new Response(delta).body ?? undefined),
      }),
    };
    const app = createEdgeApp({ ort, source: folderSource(workers.directory), facts: deltaFacts(place) });
    const rounded = changeable(await openBundle(folderSource(node.directory), { profile: 'int8-basis' }));
    const twin = createEngine(rounded, createLocalRanker(rounded, { sessions }));
    await engineFacts(twin).replay(
      readDelta(new Response(delta).body as unknown as AsyncIterable<Uint8Array>, 'delta'),
      { to: 9, atOnce: 9 },
    );
    await twin.folded();
    const { parseQueryText } = await import('@fuzzqe/core/query');
    for (const mode of ['sets', 'embedding'] as const)
      for (const query of queriesIn(mode)) {
        const listed = async (): Promise<Listed> => {
          const body = JSON.stringify({ query, mode, k: 41 });
          const headers = { 'content-type': 'application/json' };
          const response = await app.fetch(
            new Request('http://worker/v1/query', { method: 'POST', body, headers }),
          );
          expect(response.headers.get('fuzzqe-epoch')).toBe('4');
          return listOf(await response.json());
        };
        const expected = listOf(
          await twin.answer(parseQueryText(query, twin.vocabulary), { mode: mode as 'sets', k: 41 }),
        );
        await expect
          .poll(async () => differenceOf(await listed(), expected), { timeout: 20_000 })
          .toBeLessThan(1e-3);
      }
    await Promise.all([engine.close(), twin.close()]);
  });

  it('keeps what is changed for the next visit, until it is cleared', async () => {
    const page = await newPage(await newContext());
    await open(page);
    const [head, relation, known] = (await within(page, ({ facts, vocabulary }) => {
      const [from, along, to] = facts.forwardTriples();
      return [vocabulary.entity(from!).key, vocabulary.relation(along!).key, vocabulary.entity(to!).key];
    })) as [string, string, string];
    const query = `project(${relation}, ${head})`;
    const base = await recorded(page, query);
    expect(base).toContain(known);
    const written = await within(
      page,
      (each, [from, along, to]: readonly [string, string, string]) =>
        each.overlay!.change(
          [
            { does: 'add', head: from, relation: along, tail: 'mine', source: 'me' },
            // By its labels.
            { does: 'remove', head: from.replace('e', 'e '), relation: along.replace('r', 'r '), tail: to },
          ],
          { create: true },
        ),
      [head, relation, known] as const,
    );
    expect(written).toEqual({ epoch: 1, added: 1, removed: 1 });
    const mine = new Set([...base, 'mine'].filter((key) => key !== known));
    expect(await recorded(page, query)).toEqual(mine);
    await page.reload();
    expect(await open(page, { overlay: false })).toEqual([]);
    expect(await recorded(page, query)).toEqual(base);
    await open(page, { overlay: 'another' });
    expect(await recorded(page, query)).toEqual(base);
    await open(page);
    expect(await recorded(page, query)).toEqual(mine);
    expect(await within(page, (each) => each.overlay!.export())).toMatch(
      /^\{"epoch":1,.*"source":"me".*\}\n$/,
    );
    await within(page, (each) => each.overlay!.clear());
    expect(await recorded(page, query)).toEqual(base);
    await open(page);
    expect(await recorded(page, query)).toEqual(base);
    expect(await within(page, (each) => each.overlay!.epoch)).toBe(2);
    // A name that only cleared changes created is there after the next visit, too.
    await within(
      page,
      async ({ overlay }, [from, along]: readonly [string, string]) => {
        const change = { does: 'add', head: from, relation: along, tail: 'mine' } as const;
        await overlay!.change([change], { create: true });
        await overlay!.clear();
        await overlay!.change([change], { create: true });
      },
      [head, relation] as const,
    );
    expect(await open(page)).toEqual([]);
    expect(await recorded(page, query)).toEqual(new Set([...base, 'mine']));
  });

  it('rejects links, and takes names with a file of changes, until it is cleared', async () => {
    const page = await newPage(await newContext());
    await open(page);
    const [head, relation, tail] = (await within(page, ({ facts, vocabulary }) => {
      const [from, along, to] = facts.forwardTriples();
      return [vocabulary.entity(from!).key, vocabulary.relation(along!).key, vocabulary.entity(to!).key];
    })) as [string, string, string];
    const has = async (): Promise<boolean> => {
      const [listed] = await answers(page, [`project(${relation}, ${head})`], 'sets');
      return listed!.some(([key]) => key === tail);
    };
    const found = () =>
      within(page, async (each) => (await each.searchEntities('Wonderland')).results.map(({ key }) => key));
    expect(await has()).toBe(true);
    const reject = { does: 'reject', head, relation, tail } as const;
    await within(page, (each, change: typeof reject) => each.overlay!.change([change]), reject);
    expect(await has()).toBe(false);
    const names = [{ key: 'e3', label: 'Wonderland' }];
    const file = JSON.stringify({ epoch: 1, at, names, changes: [] });
    expect(await within(page, (each, text: string) => each.overlay!.import(text), file)).toMatchObject({
      epoch: 2,
    });
    expect(await found()).toEqual(['e3']);
    await within(page, (each) => each.overlay!.clear());
    expect([await has(), await found()]).toEqual([true, []]);
  });

  it('refuses unknown names unless they are to be created, and what is no change', async () => {
    const page = await newPage(await newContext());
    await open(page);
    const fact = { does: 'add', head: 'nobody', relation: 'r0', tail: 'e1' } as const;
    const change = (given: unknown, create?: boolean) =>
      within(
        page,
        (each, [changes, options]: readonly [never, object]) => each.overlay!.change(changes, options),
        [given as never, create === undefined ? {} : { create }] as const,
      );
    expect(await change([fact])).toMatch(/^vocabulary: .*nobody/);
    expect(await change([{ ...fact, confidence: 2 }])).toMatch(/^data: batch.*confidence/);
    expect(await change([])).toMatch(/^data: batch.*changes/);
    expect(await change('all')).toMatch(/^usage: changes: expected a list/);
    expect(await within(page, (each, text: string) => each.overlay!.import(text), '{"epoch": 1}')).toMatch(
      /^data: /,
    );
    const foreign = JSON.stringify({ epoch: 1, at, changes: [fact] });
    expect(await within(page, (each, text: string) => each.overlay!.import(text), foreign)).toMatch(
      /^vocabulary: import: the bundle lacks nobody/,
    );
    expect(await within(page, (each) => each.overlay!.export())).toBe('');
    expect(await change([fact], true)).toEqual({ epoch: 1, added: 1, removed: 0 });
    expect(await recorded(page, 'project(r0, nobody)')).toEqual(new Set(['e1']));
  });

  it('says which names another version of the bundle lacks, and answers by the rest', async () => {
    const page = await newPage(await newContext());
    await open(page);
    await within(page, (each) =>
      each.overlay!.change([{ does: 'add', head: 'e1', relation: 'r0', tail: 'e9' }]),
    );
    // As a version that had the name would have left it.
    await rewrite(page, (json) =>
      json.replace('"changes":[', '"changes":[{"does":"add","head":"gone","relation":"r0","tail":"e1"},'),
    );
    expect(await open(page)).toEqual([
      { code: 'overlay', message: expect.stringMatching(/^1 changes .* the bundle lacks "gone"$/) },
    ]);
    expect((await recorded(page, 'project(r0, e1)')).has('e9')).toBe(true);
    expect(await within(page, (each) => each.overlay!.left)).toEqual([
      { does: 'add', head: 'gone', relation: 'r0', tail: 'e1' },
    ]);
  });

  it('leaves out what is damaged, says so, and can be cleared', async () => {
    const page = await newPage(await newContext());
    await open(page);
    const base = await recorded(page, 'project(r0, e1)');
    const add = () =>
      within(page, (each) => each.overlay!.change([{ does: 'add', head: 'e1', relation: 'r0', tail: 'e9' }]));
    await add();
    await rewrite(page, () => '{"epoch": 1, "chang');
    expect(await open(page)).toEqual([
      { code: 'overlay', message: expect.stringMatching(/^facts of your own are left out: /) },
    ]);
    expect(await recorded(page, 'project(r0, e1)')).toEqual(base);
    expect(await add()).toMatch(/^data: /);
    await within(page, (each) => each.overlay!.clear());
    expect(await add()).toMatchObject({ added: 1 });
  });

  it('refuses changes where nothing can be kept, and answers by the bundle', async () => {
    const page = await newPage(await newContext());
    await page.evaluate(() => {
      IDBFactory.prototype.open = () => {
        throw new DOMException('not in a private window', 'SecurityError');
      };
    });
    expect(await open(page)).toEqual([
      { code: 'overlay', message: expect.stringContaining('not in a private window') },
    ]);
    const base = await recorded(page, 'project(r0, e1)');
    const refused = await within(page, (each) =>
      each.overlay!.change([{ does: 'add', head: 'e1', relation: 'r0', tail: 'e9' }]),
    );
    expect(refused).toMatch(/^storage: facts of your own cannot be kept/);
    expect(await recorded(page, 'project(r0, e1)')).toEqual(base);
  });

  it('that is full refuses a change whole', async () => {
    const page = await newPage(await newContext());
    await open(page);
    const session = await page.context().newCDPSession(page);
    const { origin } = new URL(page.url());
    await session.send('Storage.overrideQuotaForOrigin', { origin, quotaSize: 1000 });
    const refused = await within(page, (each) =>
      each.overlay!.change([
        { does: 'add', head: 'e1', relation: 'r0', tail: 'e9', source: 'x'.repeat(60_000) },
        ...Array.from({ length: 39 }, (_, i) => ({
          ...{
            does: 'add' as const,
            head: 'e2',
            relation: 'r0',
            tail: `e${i}`,
            source: `${i}`.padEnd(60_000),
          },
        })),
      ]),
    );
    expect(refused).toMatch(/^storage: /);
    expect((await recorded(page, 'project(r0, e1)')).has('e9')).toBe(false);
  });

  it('is there on WebGPU, whose golden cases are of the bundle, and when the graphics processor goes away', async () => {
    const page = await newPage(await newContext());
    await open(page);
    const add = (head: string, tail: string) =>
      within(
        page,
        (each, [from, to]: readonly [string, string]) =>
          each.overlay!.change([{ does: 'add', head: from, relation: 'r0', tail: to }], { create: true }),
        [head, tail] as const,
      );
    await add('mine', 'e1');
    const expected = await answers(page, ['project(r1, mine)', 'project(r0, e0)'], 'embedding');
    expect(await open(page, { runtime: 'webgpu', firstAnswers: 'runtime' })).toEqual([]);
    // Golden cases in this mode are asked for only now.
    expectClose(await answers(page, ['project(r1, mine)', 'project(r0, e0)'], 'embedding'), expected);
    expect(await recorded(page, 'project(r0, mine)')).toEqual(new Set(['e1']));
    const session = await browser.newBrowserCDPSession();
    // The types of the client do not have the command.
    await session.send('Browser.crashGpuProcess' as 'Browser.getVersion');
    await expect.poll(() => recorded(page, 'project(r0, mine)')).toEqual(new Set(['e1']));
    expect(
      await within(page, async (each) => [each.runtime, (await each.searchEntities('mine')).total]),
    ).toEqual(['onnxruntime-web wasm', 1]);
    await add('mine', 'e2');
    expect(await recorded(page, 'project(r0, mine)')).toEqual(new Set(['e1', 'e2']));
  });

  it('is one in all tabs, whichever of them changes it', async () => {
    const context = await newContext();
    const [one, two] = [await newPage(context), await newPage(context)];
    await Promise.all([open(one), open(two)]);
    const add = (page: Page, tail: string) =>
      within(
        page,
        (each, to: string) => each.overlay!.change([{ does: 'add', head: 'e1', relation: 'r0', tail: to }]),
        tail,
      );
    const tails = ['e31', 'e32', 'e33', 'e34', 'e35', 'e36'];
    await Promise.all(tails.map((tail, i) => add(i % 2 === 0 ? one : two, tail)));
    for (const page of [one, two]) {
      await expect.poll(() => within(page, (each) => each.overlay!.epoch)).toBe(6);
      const mine = await recorded(page, 'project(r0, e1)');
      expect(tails.filter((tail) => !mine.has(tail))).toEqual([]);
    }
    await within(two, (each) => each.overlay!.clear());
    await expect.poll(() => within(one, (each) => each.overlay!.epoch)).toBe(7);
    expect((await recorded(one, 'project(r0, e1)')).has('e31')).toBe(false);
    expect(await add(one, 'e37')).toEqual({ epoch: 8, added: 1, removed: 0 });
    await expect.poll(async () => (await recorded(two, 'project(r0, e1)')).has('e37')).toBe(true);
  });
});

/** Changes the kept JSON of each batch behind the back of what is open. */
function rewrite(page: Page, change: (json: string) => string): Promise<void> {
  return page.evaluate(`(async () => {
    const database = await new Promise((resolve) => {
      const request = indexedDB.open('fuzzqe-facts', 1);
      request.onsuccess = () => resolve(request.result);
    });
    const transaction = database.transaction(['batches'], 'readwrite');
    const ended = new Promise((resolve) => {
      transaction.oncomplete = () => resolve();
    });
    const cursors = transaction.objectStore('batches').openCursor();
    cursors.onsuccess = () => {
      const cursor = cursors.result;
      if (cursor === null) return;
      cursor.update((${change})(cursor.value));
      cursor.continue();
    };
    await ended;
    database.close();
  })()`);
}

function listOf(answer: unknown): Listed {
  const { answers } = answer as {
    answers: { key: string; state: string; degree?: number; score?: number }[];
  };
  return answers.map(({ key, state, degree, score }) => [key, state, degree ?? score ?? Number.NaN]);
}

/** The largest difference of what keys have, relative to 1 + their value; answers of one list alone count whole. */
function differenceOf(actual: Listed, expected: Listed): number {
  const values = new Map(actual.map(([key, state, value]) => [key, { state, value }]));
  if (actual.length !== expected.length) return Number.POSITIVE_INFINITY;
  return expected.reduce((most, [key, state, value]) => {
    const own = values.get(key);
    if (own === undefined || own.state !== state) return Number.POSITIVE_INFINITY;
    return Math.max(most, Math.abs(own.value - value) / (1 + Math.abs(value)));
  }, 0);
}

function expectClose(actual: readonly Listed[], expected: readonly Listed[]): void {
  expect(actual.map((each, i) => differenceOf(each, expected[i]!)).filter((each) => !(each < 1e-3))).toEqual(
    [],
  );
}
