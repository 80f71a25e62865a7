import { access, constants, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryBundle } from '@fuzzqe/engine/testing';
import { createVocabulary } from '@fuzzqe/names';
import { exportMemoryBundle } from '@fuzzqe/parity/testing';
import { createLog, readSettings, type Service, startService } from '@fuzzqe/serve';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { root } from './workspace.ts';

const chromiumPath = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium';
// Where it has to be there, the tests of the page say so.
const present = await access(chromiumPath, constants.X_OK).then(
  () => true,
  () => false,
);

/** Nowhere to break it, and wider than a phone. */
const unbroken = 'andonwithoutanyspace'.repeat(6);
const entities = 6;
const questions = {
  one: 'project(r0^-1, e1)',
  chain: 'project(r1, project(r0, project(r0^-1, e1)))',
  branches: 'and(or(project(r0, e1), project(r1, e2)), not(project(r2^-1, e3)))',
};

describe.skipIf(!present)('the playground on a graph with few entities and long names', () => {
  let folder = '';
  let service: Service;
  let browser: Browser;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fuzzqe-playground-'));
    const directory = join(folder, 'small', '1');
    const named = (letter: string, count: number) =>
      Array.from({ length: count }, (_, i) => ({
        key: `${letter}${i}`,
        label: `${letter} ${i} ${unbroken}`,
      }));
    const vocabulary = createVocabulary({ entities: named('e', entities), relations: named('r', 3) });
    const bundle = { ...(await memoryBundle({ entities, facts: 12 })), vocabulary };
    await exportMemoryBundle(directory, bundle, { profiles: ['fp32'], golden: 2 });
    service = await startService({
      bundles: [directory],
      settings: await readSettings({ flags: { port: '0', workers: '1' }, environment: {} }),
      playground: join(root, 'packages/playground/dist/app'),
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

  const open = async (width: number, link: Readonly<Record<string, string>> = {}): Promise<Page> => {
    const page = await browser.newPage({ viewport: { width, height: 900 } });
    page.setDefaultTimeout(20_000);
    const hash = 'q' in link ? `#${new URLSearchParams({ v: '1', ...link })}` : '';
    await page.goto(`${service.url}/playground/${hash}`);
    await page.locator('.answers[aria-busy=false] .answer-list').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    return page;
  };

  it('asks for as many answers as there can be, by itself and by a link, which keeps what it says', async () => {
    const first = await open(1280);
    await first.close();
    const page = await open(1280, { q: questions.one, k: '1000' });
    await expect.poll(() => new URLSearchParams(new URL(page.url()).hash.slice(1)).get('k')).toBe('1000');
    await page.getByRole('button', { name: 'Export' }).click();
    await page.getByRole('dialog').getByText('JSON').click();
    const field = page.getByLabel('The question as JSON');
    await expect.poll(() => field.inputValue()).toContain(`"k": ${entities}`);
    await page.close();
  });

  it.each([1280, 375])('shows all of them and all degrees, %d pixels wide', async (width) => {
    /** What ends beyond the page, or beyond what cuts it. */
    const outside = (page: Page, selector: string, within: string): Promise<string[]> =>
      page.locator(selector).evaluateAll(
        (found, bounds) =>
          found.flatMap((each) => {
            const [own, all] = [each, each.closest(bounds)!].map((one) => one.getBoundingClientRect());
            return own!.left >= all!.left && own!.right <= all!.right ? [] : [each.textContent ?? ''];
          }),
        within,
      );
    const fits = (page: Page): Promise<number> => page.evaluate('document.documentElement.scrollWidth');
    for (const q of Object.values(questions)) {
      const page = await open(width, { q });
      await page.locator('.answer summary').first().click();
      expect(await page.locator('.support .number').count()).toBeGreaterThan(0);
      expect(await outside(page, '.answer .number', '.answers')).toEqual([]);
      const labels = page.locator('.arrow-label');
      expect(await outside(page, '.arrow-label', 'svg')).toEqual([]);
      for (const cut of [labels, page.locator('.caption-name'), page.locator('.caption-text')])
        expect(await cut.first().locator('title').textContent()).toContain(unbroken);
      expect(await fits(page)).toBe(width);
      await page.getByRole('button', { name: 'Follow a relation' }).click();
      await page.getByRole('option').first().waitFor();
      expect(await outside(page, '[role=option] > *', '.picker-list')).toEqual([]);
      expect(await fits(page)).toBe(width);
      await page.close();
    }
  });

  it('shows an entity and what is known of it on a phone', async () => {
    const page = await open(375);
    await page.getByRole('button', { name: 'Explore' }).click();
    await page.getByRole('combobox', { name: 'Pick an entity' }).fill('e1');
    await page.getByRole('option').first().click();
    await page.getByRole('heading', { name: 'Recorded facts' }).waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(375);
    await page.close();
  });
});
