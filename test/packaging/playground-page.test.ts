import { execFile, spawnSync } from 'node:child_process';
import { access, constants, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import type { NextRelations, SetsAnswer } from '@fuzzqe/engine';
import { memoryBundle } from '@fuzzqe/engine/testing';
import { exportMemoryBundle } from '@fuzzqe/parity/testing';
import { createAccessKey, createLog, readSettings, type Service, startService } from '@fuzzqe/serve';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { axeViolations } from './axe-violations.ts';
import { serveFiles } from './serve-files.ts';
import { root } from './workspace.ts';

const environment = process.env;
const chromiumPath = environment['CHROMIUM_PATH'] ?? '/usr/bin/chromium';
const present = await access(chromiumPath, constants.X_OK).then(
  () => true,
  () => false,
);
if (!present) {
  if (environment['FUZZQE_REQUIRE_RUNTIMES'] === '1')
    it('chromium is present', () => expect.fail(`no program ${chromiumPath}`));
  else process.stderr.write(`skipped the page of the playground: no program ${chromiumPath}\n`);
}

const hasPython = spawnSync('python3', ['--version']).status === 0;
if (!hasPython) process.stderr.write('the exported program in Python is not run: no python3\n');

/** The name of what has the focus; tests know no types of pages. */
const nameOfFocused =
  '(({ activeElement: at }) => at.labels?.[0]?.textContent ?? at.getAttribute("aria-label") ?? at.textContent)(document)';

let folder = '';
let bundle = '';
let service: Service;
let browser: Browser;
let context: BrowserContext;
let page: Page;
/** What pages did that none may do. */
let complaints: string[] = [];

async function start(
  flags: Readonly<Record<string, string>>,
  bundles: readonly string[] = [bundle],
): Promise<Service> {
  return startService({
    bundles,
    settings: await readSettings({ flags, environment: {} }),
    playground: join(root, 'packages/playground/dist/app'),
    log: createLog({ level: 'silent' }),
  });
}

describe.skipIf(!present)('the page of the playground', () => {
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fuzzqe-playground-'));
    bundle = join(folder, 'tiny', '1');
    await exportMemoryBundle(bundle, await memoryBundle(), { profiles: ['fp32'], golden: 2 });
    service = await start({ port: '0', playground: 'bundle', workers: '1' });
    await service.opened;
    const { launchChromium } = await import('./launch-chromium.ts');
    browser = await launchChromium(chromiumPath);
  });
  afterAll(async () => {
    await browser?.close();
    await service?.close();
    await rm(folder, { recursive: true, force: true });
  });
  beforeEach(async () => {
    complaints = [];
    await open();
  });
  afterEach(async () => {
    await context.close();
    expect(complaints).toEqual([]);
  });

  /** A page of which is noted what no page may do: complain on its console, or ask anybody but its server. */
  const watchedPage = async (origin: string): Promise<Page> => {
    const watched = await context.newPage();
    watched.setDefaultTimeout(20_000);
    watched.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
    });
    watched.on('pageerror', (error) => complaints.push(error.message));
    watched.on('request', (request) => {
      if (!request.url().startsWith(`${origin}/`)) complaints.push(request.url());
    });
    return watched;
  };
  /** Forgets complaints that a test provokes, and expects that there were some. */
  const forgive = (pattern: RegExp): void => {
    const others = complaints.filter((text) => !pattern.test(text));
    expect(others.length, `${pattern}`).toBeLessThan(complaints.length);
    complaints = others;
  };
  const open = async (options: Parameters<Browser['newContext']>[0] = {}, hash = ''): Promise<void> => {
    await context?.close();
    context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
    page = await watchedPage(service.url);
    await page.goto(`${service.url}/playground/${hash}`);
    await page.locator('.answer-list').waitFor();
    // Names may come after the answers.
    await expect.poll(written).not.toBe('');
  };
  /** Opens the example of 2in: it has more answers than a page shows, and six parts, which no text of these tests has. */
  const openExample = async (): Promise<void> => {
    const response = await fetch(`${service.url}/v1/structures`);
    const { structures } = await response.json();
    const { tuple } = structures.find(({ name }: { readonly name: string }) => name === '2in');
    const [first, second] = tuple.map(([entity, [relation]]: [number, [number]]) => {
      const inverse = relation % 2 === 1 ? '^-1' : '';
      return `project(r${Math.floor(relation / 2)}${inverse}, e${entity})`;
    });
    await open({}, `#v=1&q=${encodeURIComponent(`and(${first}, not(${second}))`)}`);
  };
  /** The answers that are shown, once nothing is asked any more. */
  const shown = async (on = page): Promise<string[]> => {
    await on.locator('.answers[aria-busy=false] .answer-list').waitFor();
    return on.locator('.answer').evaluateAll((rows) =>
      rows.map((row) => {
        const text = (part: string): string => row.querySelector(part)?.textContent ?? '';
        return `${text('.answer-label')} ${text('.degree .number')}`;
      }),
    );
  };
  const written = (on = page): Promise<string> => on.getByLabel('The question as Text').inputValue();
  /** How far things on the page moved without anybody having done anything, as Chromium counts it. */
  const shifted = (): Promise<number> =>
    page.evaluate(`new Promise((settle) => {
      let sum = 0;
      new PerformanceObserver((list) => {
        for (const { hadRecentInput, value } of list.getEntries()) if (!hadRecentInput) sum += value;
      }).observe({ type: 'layout-shift', buffered: true });
      requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => settle(sum))));
    })`);
  const answersOfApi = async (query: string): Promise<string[]> => {
    const response = await fetch(`${service.url}/v1/query`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query }),
    });
    // What the API answers with its default mode.
    const { answers, suggestions } = (await response.json()) as SetsAnswer;
    const isRecorded = ({ state }: (typeof answers)[number]): boolean =>
      state === 'recorded' || state === 'doubted';
    const groups = [
      ...answers.filter(isRecorded),
      ...answers.filter((each) => !isRecorded(each)),
      ...suggestions,
    ];
    return groups.map(({ label, degree }) => `${label} ${degree.toFixed(3)}`);
  };
  /** The question was built, written, put in the address and answered as the API answers what is written. */
  const expectBuilt = async (): Promise<void> => {
    await expect
      .poll(written)
      .toMatch(
        /^and\(project\("relation \d"\S*, "Entity 1"\), not\(project\("relation \d"\S*, "Entity 2"\)\)\)$/,
      );
    const text = await written();
    await expect.poll(shown).toEqual(await answersOfApi(text));
    expect(new URLSearchParams(new URL(page.url()).hash.slice(1)).get('q')).toBe(text);
  };
  it('asks a question of the structure 2in that is built by mouse, and answers it as the API does', async () => {
    const pick = async (name: string): Promise<void> => {
      await page.getByRole('combobox', { name: 'Pick an entity' }).fill(name);
      await page.getByRole('option', { name, exact: false }).first().click();
    };
    const follow = (): Promise<void> =>
      page.getByRole('listbox', { name: 'Follow a relation' }).getByRole('option').first().click();
    await page.getByRole('button', { name: 'Start over' }).click();
    await pick('Entity 1');
    await follow();
    await page.getByRole('button', { name: 'And…', exact: true }).click();
    await pick('Entity 2');
    await follow();
    await page.getByRole('button', { name: 'Not', exact: true }).click();
    await expectBuilt();
    await page.locator('.answer summary').first().click();
    expect(await page.locator('.answer[open] .operand').allTextContents()).toHaveLength(2);
    if (!hasPython) return;
    await page.getByRole('button', { name: 'Export' }).click();
    await page.getByText('Python', { exact: true }).click();
    const field = page.getByLabel('The question as Python');
    await expect.poll(() => field.inputValue()).toMatch(/^import json/);
    const { stdout } = await promisify(execFile)('python3', ['-c', await field.inputValue()]);
    const printed = stdout.trim().split('\n');
    expect(printed.map((line) => line.replace(/^(\S+) (.*?)(?: \(suggested\))?$/, '$2 $1'))).toEqual(
      await shown(),
    );
  });

  it('keeps its places while answers come', async () => {
    await shown();
    expect(await shifted()).toBeLessThan(0.05);
    await page.evaluate(
      'document.body.prepend(Object.assign(document.createElement("pre"), { textContent: "\\n".repeat(20) }))',
    );
    await expect.poll(shifted).toBeGreaterThan(0.05);
  });

  it('asks the same by keyboard alone', async () => {
    const tabTo = async (name: string): Promise<void> => {
      for (let presses = 0; presses < 80; presses++) {
        const focused = await page.evaluate<string | null>(nameOfFocused);
        if (focused?.trim() === name) return;
        await page.keyboard.press('Tab');
      }
      expect.fail(`nothing called ${name} takes the focus`);
    };
    const pick = async (name: string): Promise<void> => {
      await tabTo('Pick an entity');
      await page.keyboard.type(name);
      await page.getByRole('option').first().waitFor();
      await expect.poll(() => page.getByRole('option').first().textContent()).toMatch(new RegExp(`^${name}`));
      await page.keyboard.press('Enter');
    };
    const follow = async (): Promise<void> => {
      await page.getByRole('listbox', { name: 'Follow a relation' }).getByRole('option').first().waitFor();
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('ArrowUp');
      await page.keyboard.press('Enter');
      await page.getByRole('option').first().waitFor({ state: 'detached' });
    };
    await tabTo('Start over');
    await page.keyboard.press('Enter');
    await pick('Entity 1');
    await follow();
    await tabTo('And…');
    await page.keyboard.press('Space');
    await pick('Entity 2');
    await follow();
    await tabTo('Not');
    await page.keyboard.press('Enter');
    await expectBuilt();
  });

  it('offers the relations that facts lead on by, counted, and the others on request or by name', async () => {
    const response = await fetch(`${service.url}/v1/query/relations`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: '"Entity 1"' }),
    });
    const { results } = (await response.json()) as NextRelations;
    const offered = (): Promise<string[]> => page.getByRole('option').allTextContents();
    await page.getByLabel('The question as Text').fill('"Entity 1"');
    await expect.poll(() => page.locator('.graph .part').count()).toBe(1);
    await page.getByRole('button', { name: 'Follow a relation' }).click();
    await page.getByRole('option').first().waitFor();
    const counts = results.map(({ relation: { label, inverse }, facts }) =>
      [label, inverse ? '\u200e (reversed)' : '', facts === 1 ? '1 fact' : `${facts} facts`].join(''),
    );
    const others = 6 - counts.length;
    expect(others).toBeGreaterThan(1);
    const rest = expect.stringContaining(`Show the ${others} others`);
    expect(await offered()).toEqual([...counts, rest]);
    // From the first up is the last.
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await expect.poll(async () => (await offered()).length).toBe(6);
    expect((await offered()).slice(counts.length)).toEqual(
      Array.from({ length: others }, () => expect.stringMatching(/no fact$/)),
    );
    const active = page.getByRole('option', { selected: true });
    const first = (await offered())[counts.length];
    await expect.poll(() => active.textContent()).toBe(first);
    await page.keyboard.press('Enter');
    await expect.poll(() => page.locator('.graph .part').count()).toBe(2);
    expect(`${await written()}`).toContain(`"${/relation \d/.exec(first ?? '')}"`);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('button', { name: 'Follow a relation' }).click();
    await expect.poll(offered).toEqual([...counts, rest]);
    await page.keyboard.type('relation');
    await expect.poll(async () => (await offered()).length).toBe(6);
    await page.keyboard.press('Escape');
  });

  it('keeps text, SPARQL and graph in step, undoes, and says where a name is unknown', async () => {
    await openExample();
    const before = await written();
    await page.getByLabel('The question as Text').fill('or(project(r1, e3), project(r2, e4))');
    await expect.poll(() => page.locator('.graph .part').count()).toBe(5);
    await page.getByRole('tab', { name: 'SPARQL' }).click();
    await expect.poll(() => page.getByLabel('The question as SPARQL').inputValue()).toContain('UNION');
    const sparql = 'SELECT ?x { entity:e3 relation:r1/relation:r2 ?x FILTER(!?known) } LIMIT 3';
    await page.getByLabel('The question as SPARQL').fill(sparql);
    await expect.poll(() => page.locator('.graph .part').count()).toBe(3);
    expect(await page.getByLabel('Leave out recorded ones').isChecked()).toBe(true);
    await expect.poll(async () => (await shown()).length).toBe(3);
    expect(await page.getByLabel('The question as SPARQL').inputValue()).toBe(sparql);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('tab', { name: 'Text' }).click();
    await page.getByLabel('The question as Text').fill('project(r1, nobody)');
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('alert').textContent()).toMatch(/^Line 1, column 13: .*"nobody"/);
    expect(await page.locator('.graph .part').count()).toBe(5);
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(written).toBe(before);
    await page.getByRole('button', { name: 'Start over' }).click();
    await page.getByRole('button', { name: 'Clear', exact: true }).click();
    await page.getByRole('combobox', { name: 'Pick an entity' }).fill('zzzzzzzz');
    await expect
      .poll(() => page.locator('.picker-note').textContent())
      .toContain('Nothing is called “zzzzzzzz”');
  });

  it('keeps unfinished text while settings change, and follows what is undone', async () => {
    await page.getByLabel('The question as Text').fill('project(r1, e3)');
    await expect.poll(() => page.locator('.graph .part').count()).toBe(2);
    const text = await written();
    await page.getByRole('button', { name: 'Not', exact: true }).click();
    await expect.poll(written).toMatch(/^not/);
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(written).not.toMatch(/^not/);
    expect(text).toBe('project(r1, e3)');
    await page.getByLabel('The question as Text').fill('project(r2, ');
    await page.getByLabel('Leave out recorded ones').check();
    await shown();
    expect(await written()).toBe('project(r2, ');
    await page.getByRole('alert').waitFor();
  });

  it('leaves a link that it cannot read in the address until something else is asked', async () => {
    const hash = '#v=1&q=nobody';
    await open({}, hash);
    await page.getByRole('alert').waitFor();
    await shown();
    expect(new URL(page.url()).hash).toBe(hash);
    await page.getByRole('button', { name: 'Not', exact: true }).click();
    await expect.poll(() => new URLSearchParams(new URL(page.url()).hash.slice(1)).get('q')).toMatch(/^not/);
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  it('asks for a key where the server does, and opens the bundle with it', async () => {
    const { key, line } = createAccessKey('test');
    const keys = join(folder, 'keys.txt');
    await writeFile(keys, line);
    const flags = { port: '0', playground: 'bundle', workers: '1', keys };
    const guarded = await start(flags);
    try {
      await guarded.opened;
      const other = await watchedPage(guarded.url);
      await other.goto(`${guarded.url}/playground/`);
      const field = other.getByLabel('This server asks for a key');
      await field.fill('k\u20ac');
      await other.getByRole('alert').waitFor();
      for (const colorScheme of ['light', 'dark'] as const) {
        await other.emulateMedia({ colorScheme });
        expect(await axeViolations(other)).toEqual([]);
      }
      await field.fill(key);
      await other.getByRole('button', { name: 'Continue' }).click();
      await other.locator('.answer-list').waitFor();
      await other.getByText('Both', { exact: true }).click();
      await other.locator('.agreement.yes').waitFor();
      await other.getByRole('button', { name: 'Export' }).click();
      const program = await other.getByLabel('The question as curl').inputValue();
      expect(program).toContain('authorization: Bearer $FUZZQE_KEY');
      expect(program).not.toContain(key);
      // Of the first request, which had none.
      forgive(/status of 401/);
    } finally {
      await guarded.close();
    }
  });

  it('keeps the focus where more answers are asked for, and gives it to the title after the last', async () => {
    await openExample();
    const more = page.getByRole('button', { name: 'Show more' });
    await more.click();
    await expect.poll(() => page.locator('.answer').count()).toBe(30);
    expect(await page.evaluate(nameOfFocused)).toBe('Show more');
    await more.press('Enter');
    await more.waitFor({ state: 'detached' });
    await expect.poll(() => page.evaluate(nameOfFocused)).toBe('Answers');
  });

  it('asks each of two models by its own names, on the server and in this browser, and tells them apart in links', async () => {
    const second = join(folder, 'other', '1');
    await exportMemoryBundle(second, await memoryBundle({ entities: 25, logic: 'godel' }), {
      name: 'other',
      profiles: ['fp32'],
      golden: 2,
    });
    const both = await start({ port: '0', playground: 'bundle', workers: '1' }, [bundle, second]);
    try {
      await both.opened;
      const other = await watchedPage(both.url);
      await other.goto(`${both.url}/playground/`);
      const chosen = other.getByLabel('Model');
      await chosen.waitFor();
      const names = await chosen.locator('option').allTextContents();
      expect(names).toEqual(['tiny', 'other']);
      expect(await other.locator('.page-title').textContent()).toContain('40 entities');
      await chosen.selectOption(names[1]!);
      await expect.poll(() => other.locator('.page-title').textContent()).toContain('25 entities');
      await other.getByText('Both', { exact: true }).click();
      await other.locator('.agreement.yes').waitFor();
      const link = other.url();
      expect(decodeURIComponent(link)).toContain(names[1]);
      const third = await watchedPage(both.url);
      await third.goto(link);
      await expect.poll(() => third.locator('.page-title').textContent()).toContain('25 entities');
      await other.getByRole('button', { name: 'Export' }).click();
      const program = await other.getByLabel('The question as curl').inputValue();
      expect(program).toContain(`/v1/models/${encodeURIComponent(names[1]!)}/query`);
    } finally {
      await both.close();
    }
  });

  it('answers in this browser as on the server, without isolation or policy being in the way', async () => {
    await page.getByText('Both', { exact: true }).click();
    await page.locator('.agreement').waitFor();
    expect(await page.locator('.comparison').textContent()).toMatch(
      /^server [\d.]+ m?s *this browser [\d.]+ m?s *both agree within 10⁻/,
    );
    expect(await page.evaluate('crossOriginIsolated')).toBe(true);
    expect(page.workers()).not.toEqual([]);
    await page.evaluate("location.hash = 'v=1&q=project(r1,+e3)'");
    await expect.poll(() => page.workers().length).toBe(0);
  });

  it('is written as a site with the same policy, which answers by itself', async () => {
    const [site, command] = [join(folder, 'site'), join(root, 'packages/cli/bin/fuzzqe.js')];
    await promisify(execFile)(process.execPath, [command, 'playground', bundle, '--out', site]);
    expect(JSON.parse(await readFile(join(site, 'playground.json'), 'utf8'))).toEqual({ bundle: 'bundle/' });
    const files = async () => (await readdir(site, { recursive: true })).map((path) => basename(path));
    const runtimeFiles = async () => (await files()).filter((name) => name.endsWith('.wasm')).toSorted();
    expect(await runtimeFiles()).toEqual(['ort-wasm-simd-threaded.wasm']);
    await promisify(execFile)(process.execPath, [command, 'playground', bundle, '--out', site, '--webgpu']);
    expect(JSON.parse(await readFile(join(site, 'playground.json'), 'utf8'))).toMatchObject({ webgpu: true });
    const both = ['ort-wasm-simd-threaded.asyncify.wasm', 'ort-wasm-simd-threaded.wasm'];
    expect(await runtimeFiles()).toEqual(both);
    const policy = (await fetch(`${service.url}/playground/`)).headers.get('content-security-policy');
    expect(policy).toMatch(/^default-src 'none'/);
    expect(await readFile(join(site, '_headers'), 'utf8')).toContain(
      `/*\n  content-security-policy: ${policy}\n`,
    );
    const host = await serveFiles(site);
    try {
      const other = await watchedPage(host.url);
      const session = await context.newCDPSession(other);
      await session.send('Storage.overrideQuotaForOrigin', { origin: host.url, quotaSize: 1000 });
      await other.goto(`${host.url}/`);
      // Nothing can be kept there, and yet it answers.
      await other.getByText('no copies of the bundle are kept').waitFor();
      await expect.poll(() => written(other)).not.toBe('');
      expect(await shown(other)).toEqual(await answersOfApi(await written(other)));
      await other.getByRole('button', { name: 'Several variables' }).click();
      await other.locator('.word-examples button').first().click();
      await other.getByRole('button', { name: 'Ask this pattern' }).click();
      await other.locator('.answers[aria-busy=false] .answer-row').first().waitFor();
      // Chromium's own words where there is no graphics processor; the page goes on by WebAssembly.
      complaints = complaints.filter((text) => text !== 'No available adapters.');
    } finally {
      // The page first: it loads a runtime while it answers by another.
      await context.close().then(host.close);
    }
  });

  it('says that the server is gone, and goes on when it is back', async () => {
    await context.setOffline(true);
    await page.getByLabel('Leave out recorded ones').check();
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('alert').textContent()).toContain('The server does not answer');
    await context.setOffline(false);
    await page.getByRole('button', { name: 'Ask again' }).click();
    expect(await shown()).not.toEqual([]);
    forgive(/ERR_INTERNET_DISCONNECTED/);
  });

  it('keeps what is typed while the server is gone, without calling it wrong, and reads it again on request', async () => {
    const field = page.getByLabel('The question as Text');
    await context.setOffline(true);
    // No answer has brought an entity of this name along.
    const typed = 'project(r1, "entity 7")';
    await field.fill(typed);
    const alert = page.getByRole('alert');
    await alert.waitFor();
    expect(await alert.textContent()).toBe(
      'The server does not answer. Check that it is running, then ask again.',
    );
    expect(await field.getAttribute('aria-invalid')).toBe('false');
    // What was answered before is not taken for its answers.
    expect(await page.locator('.comparison').textContent()).toContain('not the text');
    await page.locator('.answer-list.unread').waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await context.setOffline(false);
    await page.getByRole('button', { name: 'Try again' }).press('Enter');
    await alert.waitFor({ state: 'detached' });
    await expect.poll(() => page.locator('.graph .part').count()).toBe(2);
    expect(await page.evaluate(nameOfFocused)).toBe('The question as Text');
    expect(await written()).toBe(typed);
    await expect.poll(() => page.locator('.answer-list.unread').count()).toBe(0);
    expect(await shown()).toEqual(await answersOfApi('project(r1, e7)'));
    forgive(/ERR_INTERNET_DISCONNECTED/);
  });

  it.each([
    ['light', 1280],
    ['dark', 1280],
    ['light', 375],
  ] as const)(
    'has nothing that axe objects to in any state, %s and %d pixels wide',
    async (colorScheme, width) => {
      const found: Record<string, readonly string[]> = {};
      const look = async (state: string): Promise<void> => {
        found[state] = await axeViolations(page);
      };
      await open({ colorScheme, viewport: { width, height: 900 } });
      await page.locator('.answer summary').first().click();
      await look('an answer and why');
      await page.getByRole('button', { name: 'Export' }).click();
      await page.getByRole('dialog').waitFor();
      await look('the question as a command');
      await page.getByRole('button', { name: 'Close' }).click();
      await page.getByRole('tab', { name: 'SPARQL' }).click();
      const sparql = page.getByLabel('The question as SPARQL');
      await expect.poll(() => sparql.inputValue()).toContain('SELECT');
      await look('SPARQL');
      await sparql.fill('SELECT ?x { nobody:e3 relation:r1 ?x }');
      await page.getByRole('alert').waitFor();
      await look('SPARQL that cannot be read');
      let letGo = (): void => undefined;
      const held = new Promise<void>((resolve) => {
        letGo = resolve;
      });
      await context.route(/\/playground\/bundles\//, async (route) => {
        await held;
        await route.continue();
      });
      await page.getByText('Both', { exact: true }).click();
      await page.getByRole('progressbar').waitFor();
      await look('the bundle on its way');
      letGo();
      await page.locator('.agreement.yes').waitFor();
      await look('both have answered');
      await page.getByText('Server', { exact: true }).click();
      await context.setOffline(true);
      await page.getByLabel('Leave out recorded ones').check();
      await page.getByText('The server does not answer').waitFor();
      await look('the server gone');
      await context.setOffline(false);
      forgive(/ERR_INTERNET_DISCONNECTED/);
      await page.getByRole('button', { name: 'Ask again' }).click();
      await shown();
      await page.getByRole('button', { name: 'Follow a relation' }).click();
      await page.getByRole('option').first().waitFor();
      await look('relations to follow');
      await page.getByRole('button', { name: 'Start over' }).click();
      await look('nothing asked');
      await page.getByRole('button', { name: 'Explore' }).click();
      await page.getByRole('combobox', { name: 'Pick an entity' }).fill('Entity 1');
      await page.getByRole('option').first().click();
      await page.getByRole('heading', { name: 'Entity 1' }).first().waitFor();
      await look("the curator's desk");
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
      expect(found).toEqual(Object.fromEntries(Object.keys(found).map((state) => [state, []])));
    },
  );

  it('fits a phone, and opens the question of a link', async () => {
    const q =
      'and(project("relation 0", "Entity 1"), not(project("relation 2", project("relation 0", "Entity 4"))))';
    const permissions = ['clipboard-read', 'clipboard-write'];
    await open(
      { viewport: { width: 375, height: 800 }, permissions },
      `#${new URLSearchParams({ v: '1', q })}`,
    );
    expect(await written()).toBe(q);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(375);
    await page.getByRole('button', { name: 'Share' }).click();
    await page.getByText('Link copied').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(page.url());
  });

  it('collects what a curator accepts of the suggestions for an entity, and keeps it', async () => {
    await page.getByRole('button', { name: 'Explore' }).click();
    await page.getByRole('combobox').fill('Entity 1');
    await page.getByRole('option', { name: 'Entity 1' }).first().click();
    const suggestions = page.getByRole('region', { name: 'Suggested by the model' });
    const accept = suggestions.getByRole('button', { name: /^Accept: / });
    const what = (await accept.first().getAttribute('aria-label'))!.replace('Accept: ', '');
    await accept.first().focus();
    await page.keyboard.press('Enter');
    await suggestions
      .getByRole('button', { name: /^Reject: / })
      .nth(1)
      .click();
    await page.getByText('1 accepted, 1 rejected').waitFor();
    expect(await axeViolations(page)).toEqual([]);
    const name = (word: string): string => /(?:Entity|relation) (\d+)/.exec(word)![1]!;
    const [head, relation, tail] = what.split(', ').map(name);
    const line = `<urn:fuzzqe:entity:e${head}> <urn:fuzzqe:relation:r${relation}> <urn:fuzzqe:entity:e${tail}> .\n`;
    expect(await page.getByLabel('N-Triples', { exact: true }).inputValue()).toBe(line);
    await page.getByLabel('Base of names that are no IRIs').fill('no IRI');
    await page.getByText('expected an IRI with a scheme').waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Explore' }).click();
    await page.getByText('1 accepted, 1 rejected').waitFor();
    await page.getByRole('button', { name: `Take back: ${what}` }).click();
    await page.getByText('0 accepted, 1 rejected').waitFor();
    expect(await page.evaluate<string | null>(nameOfFocused)).toBe('Accepted');
    const other = await watchedPage(service.url);
    await other.goto(page.url());
    await other.getByRole('button', { name: 'Explore' }).click();
    await other.getByText('0 accepted, 1 rejected').waitFor();
    await other.getByRole('button', { name: 'Clear the desk' }).press('Enter');
    await page.getByText('0 accepted, 1 rejected').waitFor();
    await other.getByRole('button', { name: 'Clear', exact: true }).press('Enter');
    await page.getByText('0 accepted, 0 rejected').waitFor();
    await other.getByRole('button', { name: 'Undo' }).press('Enter');
    await page.getByText('0 accepted, 1 rejected').waitFor();
  });
});
