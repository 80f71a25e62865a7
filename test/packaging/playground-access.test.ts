import { access, constants, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createVocabulary } from '@fuzzqe/core';
import { memoryBundle } from '@fuzzqe/engine/testing';
import { exportMemoryBundle } from '@fuzzqe/parity/testing';
import { createLog, readSettings, type Service, startService } from '@fuzzqe/serve';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { root } from './workspace.ts';

const chromiumPath = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium';
// Where it has to be there, the tests of the page say so.
const present = await access(chromiumPath, constants.X_OK).then(
  () => true,
  () => false,
);

const questions = {
  one: 'project(r0, e1)',
  both: 'and(project(r0, e1), not(project(r1, e2)))',
};

describe.skipIf(!present)('the playground for whoever uses no mouse', () => {
  let folder = '';
  let service: Service;
  let browser: Browser;
  let context: BrowserContext;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fuzzqe-playground-'));
    const directory = join(folder, 'graph', '1');
    const named = (word: string, letter: string, count: number) =>
      Array.from({ length: count }, (_, i) => ({ key: `${letter}${i}`, label: `${word} ${i}` }));
    const vocabulary = createVocabulary({
      entities: named('entity', 'e', 8),
      relations: named('relation', 'r', 3),
    });
    const bundle = { ...(await memoryBundle({ entities: 8, facts: 16 })), vocabulary };
    await exportMemoryBundle(directory, bundle, { profiles: ['fp32'], golden: 2 });
    service = await startService({
      bundles: [directory],
      settings: await readSettings({
        flags: { port: '0', playground: 'bundle', workers: '1' },
        environment: {},
      }),
      playground: join(root, 'packages/playground/dist/app'),
      log: createLog({ level: 'silent' }),
    });
    await service.opened;
    const { launchChromium } = await import('./launch-chromium.ts');
    browser = await launchChromium(chromiumPath);
  });
  afterEach(() => context?.close());
  afterAll(async () => {
    await browser?.close();
    await service?.close();
    await rm(folder, { recursive: true, force: true });
  });

  const open = async (q: string, options: Parameters<Browser['newContext']>[0] = {}): Promise<Page> => {
    context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
    const page = await context.newPage();
    page.setDefaultTimeout(20_000);
    await page.goto(`${service.url}/playground/#${new URLSearchParams({ v: '1', q })}`);
    await page.locator('.answers[aria-busy=false] .answer-list').waitFor();
    return page;
  };

  it('reaches every part of the graph by Tab, and selects it by Enter', async () => {
    const page = await open(questions.both);
    const spoken = await page.locator('.graph .part-spoken').allTextContents();
    expect(spoken).toHaveLength(6);
    await page.getByRole('button', { name: 'Export' }).focus();
    for (const name of spoken) {
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await page.locator('.part:focus[aria-pressed=true]').waitFor();
      expect(await page.locator('.part:focus .part-spoken').textContent()).toBe(name);
    }
  });
});
