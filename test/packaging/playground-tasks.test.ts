import { access, constants, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { documentation } from '@fuzzqe/api/documentation';
import { memoryBundle } from '@fuzzqe/engine/testing';
import { exportMemoryBundle } from '@fuzzqe/parity/testing';
import { createLog, readSettings, type Service, startService } from '@fuzzqe/serve';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { axeViolations } from './axe-violations.ts';
import { root } from './workspace.ts';

const chromiumPath = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium';
// Where it has to be there, the tests of the page say so.
const present = await access(chromiumPath, constants.X_OK).then(
  () => true,
  () => false,
);

describe.skipIf(!present)('tasks on the playground', () => {
  let folder = '';
  let service: Service;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fuzzqe-playground-'));
    const directory = join(folder, 'tiny', '1');
    await exportMemoryBundle(directory, await memoryBundle(), { profiles: ['fp32'], golden: 2 });
    service = await startService({
      bundles: [directory],
      settings: await readSettings({ flags: { port: '0', workers: '1' }, environment: {} }),
      playground: join(root, 'packages/playground/dist/app'),
      mount: [documentation()],
      log: createLog({ level: 'silent' }),
    });
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
    context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
    page = await context.newPage();
    page.setDefaultTimeout(20_000);
  });
  afterEach(() => context.close());

  const open = async (hash = ''): Promise<void> => {
    await page.goto(`${service.url}/playground/${hash}`);
    await page.locator('.answers[aria-busy=false] .answer-list').waitFor();
  };
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const written = (): Promise<string> => page.getByLabel('The question as Text').inputValue();
  const focused = (): Promise<string> => page.evaluate('document.activeElement.textContent');

  it('asks before it clears a question that somebody built, by keyboard as well, and brings it back', async () => {
    const q = 'project("relation 0", "Entity 1")';
    await open(`#${new URLSearchParams({ v: '1', q })}`);
    await button('Start over').press('Enter');
    expect(await focused()).toBe('Clear');
    await page.keyboard.press('Escape');
    expect(await focused()).toBe('Start over');
    expect(await written()).toBe(q);
    await page.keyboard.press('Enter');
    await button('Keep').press('Enter');
    expect(await written()).toBe(q);
    await button('Start over').press('Enter');
    await button('Clear').press('Enter');
    await expect.poll(written).toBe('');
    expect(await page.evaluate('document.activeElement.role')).toBe('combobox');
    await button('Undo').click();
    await expect.poll(written).toBe(q);
  });

  it('opens with the answer by which it chose its example, and asks for nothing twice', async () => {
    const asked: (string | null)[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/query')) asked.push(request.postData());
    });
    await open();
    expect(asked.length).toBeGreaterThan(0);
    expect(new Set(asked).size).toBe(asked.length);
    const before = asked.length;
    await button('Not').click();
    await expect.poll(() => asked.length).toBe(before + 1);
  });

  it('reads what was just typed before it turns to another notation, or says why it cannot', async () => {
    await open();
    // Names may come after the answers, and would be written into what is being filled in.
    await expect.poll(written).not.toBe('');
    const sparql = page.getByLabel('The question as SPARQL');
    await page.getByLabel('The question as Text').fill('project(r1, e3)');
    await page.getByRole('tab', { name: 'SPARQL' }).click();
    await expect.poll(() => sparql.inputValue()).toContain('entity:e3');
    await sparql.fill('SELECT ?x { entity:e4 relation:r2 ?x }');
    await page.getByRole('tab', { name: 'Text' }).click();
    await expect.poll(() => page.getByLabel('The question as Text').inputValue()).toContain('Entity 4');
    await page.getByLabel('The question as Text').fill('project(r1, ');
    await page.getByRole('tab', { name: 'SPARQL' }).click();
    await page.getByRole('alert').waitFor();
    expect(await written()).toBe('project(r1, ');
    await page.getByRole('tab', { name: 'SPARQL' }).click();
    await expect.poll(() => sparql.inputValue()).toContain('SELECT');
  });

  it.each([
    ['2p', 5, /^project\("relation \d"\S*, project\("relation \d"\S*, "Entity 1"\)\)$/],
    ['2i', 6, /^and\(project\(.*"Entity 1"\), project\(.*"Entity 2"\)\)$/],
    ['3in', 9, /^and\(project\(.*"Entity 1"\), project\(.*"Entity 2"\), not\(project\(.*"Entity 3"\)\)\)$/],
  ] as const)(
    'builds a question of the structure %s in at most %d clicks',
    async (structure, most, expected) => {
      await page.addInitScript(
        'globalThis.clicks = 0; addEventListener("pointerdown", () => { globalThis.clicks += 1; }, true);',
      );
      const follow = (): Promise<void> =>
        page.getByRole('listbox', { name: 'Follow a relation' }).getByRole('option').first().click();
      /** Whatever has the focus is typed into. */
      const condition = async (entity: string): Promise<void> => {
        await page.getByRole('combobox', { name: 'Pick an entity' }).waitFor();
        await page.keyboard.type(entity);
        await page.getByRole('option', { name: new RegExp(`^${entity}\\b`) }).click();
        await follow();
      };
      await open();
      await button('Start over').click();
      await condition('Entity 1');
      if (structure === '2p') {
        await button('Follow a relation').click();
        await follow();
      } else {
        await button('And…').click();
        await condition('Entity 2');
      }
      if (structure === '3in') {
        await button('And not…').click();
        await condition('Entity 3');
      }
      await expect.poll(written).toMatch(expected);
      const clicks = await page.evaluate('globalThis.clicks');
      expect(clicks).toBeGreaterThan(3);
      expect(clicks).toBeLessThanOrEqual(most);
    },
  );

  it('saves questions under names, opens and renames them, and brings back what was deleted', async () => {
    const q = 'project("relation 0", "Entity 1")';
    await open(`#${new URLSearchParams({ v: '1', q, min: '0.3' })}`);
    const saved = page.getByRole('dialog', { name: 'Saved questions' });
    const names = (): Promise<string[]> => saved.getByRole('link').allTextContents();
    await button('Saved').click();
    await saved.getByLabel('Name of this question').fill('First');
    await button('Save').click();
    await expect.poll(names).toEqual(['First']);
    expect(await axeViolations(page)).toEqual([]);
    await button('Close').click();
    await button('Not').click();
    await expect.poll(written).toMatch(/^not/);
    await page.reload();
    await button('Saved').click();
    await button('Save').press('Enter');
    await expect.poll(async () => (await names()).length).toBe(2);
    await button('Rename: First').click();
    await page.keyboard.type('Once ');
    await page.keyboard.press('Enter');
    await expect.poll(async () => (await names())[1]).toMatch(/Once/);
    const [, renamed] = await names();
    await button(`Delete: ${renamed}`).press('Enter');
    expect(await focused()).toBe('Saved questions');
    await expect.poll(async () => (await names()).length).toBe(1);
    await saved.getByRole('button', { name: 'Undo' }).click();
    await saved.getByRole('link', { name: renamed!, exact: true }).click();
    await expect.poll(written).toBe(q);
    await page.getByText('Answers from 0.30').waitFor();
  });

  it('prints the question, its answers and why, and nothing to press', async () => {
    await open();
    const visible = (selector: string): Promise<number> =>
      page.locator(selector).filter({ visible: true }).count();
    expect(await visible('button, textarea, input')).toBeGreaterThan(5);
    const rows = await visible('.answer');
    expect(await visible('.why')).toBeLessThan(rows);
    await page.emulateMedia({ media: 'print' });
    expect(await visible('button, textarea, input')).toBe(0);
    expect(await visible('.sentence')).toBe(1);
    expect(await visible('.graph')).toBe(1);
    expect(await visible('.why')).toBe(rows);
  });

  it('sends the requests of the page of the API, and shows what comes back', async () => {
    const complaints: string[] = [];
    page.on('console', (message) => complaints.push(message.text()));
    await page.goto(`${service.url}/docs`);
    const query = page.locator('[id="post/v1/query"] form').first();
    await query.getByText('Try it').click();
    await query.getByRole('button', { name: 'Send' }).click();
    await expect.poll(() => query.locator('output').textContent()).toMatch(/^200 OK\n\{.*"answers": \[/s);
    expect(await axeViolations(page)).toEqual([]);
    expect(complaints).toEqual([]);
    await query.getByRole('textbox', { name: 'Body' }).fill('{"query": "nobody"}');
    await query.getByRole('button', { name: 'Send' }).click();
    await expect.poll(() => query.locator('output').textContent()).toMatch(/^4\d\d .*nobody/s);
    const entities = page.locator('[id="get/v1/entities"] form');
    await entities.getByText('Try it').click();
    await entities.getByRole('textbox', { name: 'Address' }).fill('v1/entities?q=Entity 3');
    await entities.getByRole('button', { name: 'Send' }).press('Enter');
    await expect.poll(() => entities.locator('output').textContent()).toMatch(/^200 OK\n.*"Entity 3"/s);
  });
});
