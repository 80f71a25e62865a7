import { access, constants, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryBundle } from '@fuzzqe/engine/testing';
import { createVocabulary } from '@fuzzqe/names';
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

const longName = 'donaudampfschifffahrtselektrizitaetenhauptbetriebswerk';
const questions = {
  one: 'project(r0, e1)',
  both: 'and(project(r0, e1), not(project(r1, e2)))',
};

/** Writes a bundle of a small graph whose names are made of `e` or `r` and a number. */
async function exportNamed(
  folder: string,
  model: string,
  entities: number,
  name: (letter: string, number: number) => string,
): Promise<string> {
  const directory = join(folder, model, '1');
  const named = (letter: string, count: number) =>
    Array.from({ length: count }, (_, i) => ({ key: `${letter}${i}`, label: name(letter, i) }));
  const vocabulary = createVocabulary({ entities: named('e', entities), relations: named('r', 3) });
  const bundle = { ...(await memoryBundle({ entities, facts: 2 * entities })), vocabulary };
  await exportMemoryBundle(directory, bundle, { name: model, profiles: ['fp32'], golden: 2 });
  return directory;
}

describe.skipIf(!present)('the playground for whoever cannot use it as most do', () => {
  let folder = '';
  let service: Service;
  let browser: Browser;
  let context: BrowserContext;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fuzzqe-playground-'));
    service = await startService({
      bundles: [
        await exportNamed(folder, 'latin', 40, (letter, i) => `${letter} ${i}`),
        // Nothing but letters that are read from the right.
        await exportNamed(
          folder,
          'arabic',
          8,
          (letter, i) => `${letter === 'e' ? 'كيان' : 'علاقة'} ${'ابجدهوزح'[i]}`,
        ),
        await exportNamed(folder, longName, 8, (letter, i) => `${letter} ${i}`),
      ],
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

  type Options = Parameters<Browser['newContext']>[0] & { readonly model?: string };
  const open = async (q: string, { model = 'latin', ...options }: Options = {}): Promise<Page> => {
    context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
    const page = await context.newPage();
    page.setDefaultTimeout(20_000);
    await page.goto(`${service.url}/playground/#${new URLSearchParams({ v: '1', model, q })}`);
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

  it('shows head, relation and tail of a fact in this order, whichever way their script is read', async () => {
    const page = await open(questions.one, { model: 'arabic' });
    /** The words of a line by where they stand on it, from the left. */
    const inOrder = (selector: string): Promise<readonly string[]> =>
      page.evaluate(`(() => {
        const words = [];
        const line = document.querySelector(${JSON.stringify(selector)});
        const walker = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
        for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
          const range = document.createRange();
          range.selectNode(node);
          const text = node.textContent.trim();
          if (text !== '') words.push({ text, left: range.getBoundingClientRect().left });
        }
        return words.sort((a, b) => a.left - b.left).map(({ text }) => text);
      })()`);
    await page.locator('.answer summary').first().click();
    expect(await inOrder('.support .link-text')).toEqual([
      'كيان ب',
      'علاقة ا',
      expect.stringContaining('كيان'),
    ]);
    await page.getByRole('button', { name: 'Explore' }).click();
    await page.getByRole('combobox', { name: 'Pick an entity' }).fill('e1');
    await page.locator('.picker-list [role=option]').first().click();
    const accept = page.getByRole('button', { name: /^Accept: / }).first();
    await accept.click();
    const words = (await accept.getAttribute('aria-label'))?.replace('Accept: ', '').split(', ');
    expect(words).toHaveLength(3);
    expect(await inOrder('.fact-row .fact-text')).toEqual(words);
    expect(await inOrder('.fact-row:has(> .button.plain) .fact-text')).toEqual(words);
  });

  it('undoes by the keyboard wherever no text is typed', async () => {
    const page = await open(questions.one);
    const written = () => page.getByLabel('The question as Text').inputValue();
    await expect.poll(written).not.toBe('');
    const before = await written();
    await page.getByRole('button', { name: 'Not', exact: true }).click();
    await expect.poll(written).toMatch(/^not/);
    await page.getByLabel('Leave out recorded ones').press('Control+z');
    await expect.poll(written).toBe(before);
    // What follows And is looked for in an empty field.
    await page.getByRole('button', { name: 'And…' }).click();
    await page.getByRole('combobox').last().press('Control+z');
    await expect.poll(() => page.locator('.graph .part').count()).toBe(2);
    // A text has an undoing of its own.
    await page.getByRole('button', { name: 'Not', exact: true }).click();
    await expect.poll(written).toMatch(/^not/);
    await page.getByLabel('The question as Text').press('Control+z');
    await expect.poll(() => page.locator('.graph .part').count()).toBe(3);
  });

  it('fits a narrow page where a model has one long word for a name', async () => {
    const page = await open(questions.one, { model: longName, viewport: { width: 320, height: 740 } });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320);
  });

  it('reads what the server that is gone could not once this browser is asked', async () => {
    const page = await open(questions.one);
    const place = (name: string) => page.getByText(name, { exact: true });
    await context.setOffline(true);
    await place('This browser').click();
    await page.getByText('What answers in this browser cannot be fetched.').waitFor();
    await context.setOffline(false);
    await page.getByRole('button', { name: 'Ask again' }).click();
    await place('Both').click();
    await page.locator('.agreement').waitFor();
    await context.setOffline(true);
    await page.getByLabel('The question as Text').fill('project(r1, "e 17")');
    const problem = page.locator('.notation').getByRole('alert');
    await problem.waitFor();
    await place('This browser').click();
    await problem.waitFor({ state: 'detached' });
    await page.locator('.answers[aria-busy=false] .answer-list:not(.unread)').waitFor();
    expect(await page.locator('.graph .part-spoken').allTextContents()).toContainEqual(
      expect.stringContaining('e 17'),
    );
  });

  it('keeps the focus near what was pressed and went away', async () => {
    const page = await open(questions.one);
    const focused = (): Promise<string | undefined> =>
      page.evaluate('document.activeElement.ariaLabel ?? document.activeElement.textContent.trim()');
    await context.setOffline(true);
    await page.getByLabel('Leave out recorded ones').check();
    await page.getByRole('button', { name: 'Ask again' }).press('Enter');
    expect(await focused()).toBe('Answers');
    await context.setOffline(false);
    await page.getByRole('button', { name: 'Ask again' }).press('Enter');
    await page.locator('.answers[aria-busy=false] .answer-list').waitFor();
    expect(await focused()).toBe('Answers');
    await page.getByRole('button', { name: 'Explore' }).click();
    await page.getByRole('combobox', { name: 'Pick an entity' }).fill('e1');
    await page.locator('.picker-list [role=option]').first().click();
    const other = page.locator('.fact-text button').first();
    const name = (await other.textContent()) ?? '';
    await context.setOffline(true);
    await other.press('Enter');
    await page.getByRole('alert').waitFor();
    expect(await focused()).toBe('Entity');
    await context.setOffline(false);
    await page.getByRole('button', { name: 'Try again' }).press('Enter');
    await page.locator('.explorer-name').getByText(name, { exact: true }).waitFor();
    expect(await focused()).toBe('Entity');
  });

  it('shows a question for elsewhere on a phone, and selects it where nothing may be copied', async () => {
    const page = await open(questions.one, { viewport: { width: 360, height: 740 } });
    // As pages without TLS have it.
    await page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })");
    await page.getByRole('button', { name: 'Export' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.waitFor();
    expect(await dialog.evaluate((box) => box.scrollWidth - box.clientWidth)).toBe(0);
    await dialog.getByRole('button', { name: 'Copy' }).click();
    await dialog.getByRole('status').getByText('Selected').waitFor();
    const field = dialog.getByLabel('The question as curl');
    expect(await page.evaluate('document.activeElement.selectionEnd')).toBe(
      (await field.inputValue()).length,
    );
  });

  it('says why a question cannot be taken along, and not that this is the question', async () => {
    const page = await open('not(project(r0, e1))');
    await page.getByRole('button', { name: 'Export' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('SPARQL', { exact: true }).click();
    await dialog.getByRole('alert').waitFor();
    expect(await dialog.getByRole('textbox').count()).toBe(0);
    expect(await dialog.getByRole('button').allTextContents()).toEqual(['Close']);
    await dialog.getByRole('button', { name: 'Close' }).click();
    // Whether others have the names of an example is not known yet.
    await context.route(/\/v1\//, (route) => route.abort());
    await page.locator('.example').filter({ hasText: '3i' }).first().click();
    await page.locator('.answers .fault-title').waitFor();
    await page.getByRole('button', { name: 'Export' }).click();
    await dialog.getByText('curl', { exact: true }).click();
    await dialog.getByRole('alert').waitFor();
    expect(await dialog.getByRole('alert').textContent()).toContain('The server does not answer');
    await context.unroute(/\/v1\//);
    await dialog.getByRole('button', { name: 'Ask again' }).click();
    expect(await dialog.getByRole('textbox').inputValue()).not.toBe('');
  });

  it('says what is left out where nothing else answers', async () => {
    const page = await open('not(project(r0, e1))');
    await page.getByLabel('Leave out recorded ones').check();
    await page.getByText('No answers.').waitFor();
    expect(await page.locator('.empty').textContent()).toContain('Those that are recorded are left out');
    // Places in the query are those of its JSON, which nobody sees here.
    expect(await page.locator('.answers .note').allTextContents()).toContainEqual(
      expect.stringMatching(/^the answers are a complement/),
    );
  });

  it.each(['light', 'dark'] as const)(
    'tells marks, degrees and what is chosen apart in colours that the reader forces, %s',
    async (colorScheme) => {
      const page = await open(questions.both, { forcedColors: 'active', colorScheme });
      const style = (selector: string, property: string): Promise<string> =>
        page.evaluate(`getComputedStyle(document.querySelector(${JSON.stringify(selector)})).${property}`);
      const background = (selector: string): Promise<string> => style(selector, 'background');
      const marks = await Promise.all(
        ['recorded', 'doubted', 'partly', 'predicted'].map((mark) => background(`.legend .mark.${mark}`)),
      );
      expect(new Set(marks).size).toBe(4);
      expect(await background('.degree-bar')).not.toBe(await background('.degree-track'));
      await page.getByRole('button', { name: 'Follow a relation' }).click();
      await page.locator('.picker-list [role=option]').first().waitFor();
      for (const [chosen, other] of [
        ['.picker-options [aria-selected=true]', '.picker-options [aria-selected=false]'],
        ['[aria-current=page]', 'nav button:not([aria-current])'],
        ['.places label:has(:checked)', '.places label:not(:has(:checked))'],
      ] as const)
        expect(await background(chosen)).not.toBe(await background(other));
      const outline = (selector: string): Promise<string> => style(`${selector} .part-area`, 'stroke');
      expect(await outline('.part[aria-pressed=true]')).not.toBe(await outline('.part[aria-pressed=false]'));
    },
  );

  it('keeps the page about an entity where more of it does not come', async () => {
    const page = await open(questions.one);
    // As servers do that find twelve relations at once too many.
    await context.route(/\/entities\/.*limit=12/, (route) => route.fulfill({ status: 400, json: {} }));
    await page.getByRole('button', { name: 'Explore' }).click();
    await page.getByRole('combobox', { name: 'Pick an entity' }).fill('e1');
    await page.locator('.picker-list [role=option]').first().click();
    const more = page.getByRole('button', { name: '2 more relations' });
    await more.waitFor();
    await context.setOffline(true);
    await more.click();
    await page.getByRole('alert').getByText('The server does not answer').waitFor();
    await page
      .getByRole('button', { name: /^Accept: / })
      .first()
      .waitFor();
    await context.setOffline(false);
    await more.click();
    await more.waitFor({ state: 'detached' });
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  it('asks for another key where the server takes the one back that it had', async () => {
    const page = await open(questions.one);
    let valid = 'first';
    // A server with keys, but for the keys.
    await context.route(/\/v1\//, (route) =>
      route.request().headers()['authorization'] === `Bearer ${valid}`
        ? route.continue()
        : route.fulfill({ status: 401, json: { detail: 'authorization: expected a key' } }),
    );
    await page.reload();
    const field = page.getByLabel('This server asks for a key');
    await page.locator('#server-key:focus').waitFor();
    await page.keyboard.type('wrong');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('does not know the key').waitFor();
    await field.fill('first');
    await page.keyboard.press('Enter');
    await page.locator('.answers[aria-busy=false] .answer-list').waitFor();
    valid = 'second';
    await page.getByLabel('Leave out recorded ones').check();
    await field.fill('second');
    await page.keyboard.press('Enter');
    await page.locator('.answers[aria-busy=false] .answer-list').waitFor();
    // The question stays, and so do those asked later.
    await page.getByLabel('Leave out recorded ones').uncheck();
    await page.locator('.answers[aria-busy=false] .answer-list').waitFor();
    expect(await page.getByLabel('The question as Text').inputValue()).toContain('project(');
    expect(await field.count()).toBe(0);
  });
});
