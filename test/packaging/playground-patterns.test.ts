import { access, constants } from 'node:fs/promises';
import { join } from 'node:path';
import { wordsPart } from '@fuzzqe/api/words';
import { FuzzError } from '@fuzzqe/core';
import { loadCountries } from '@fuzzqe/data';
import { type Engine, openGraphEngine, type PatternAnswer } from '@fuzzqe/engine';
import type { Translator } from '@fuzzqe/engine/words';
import { defaultWeights } from '@fuzzqe/evidence';
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

const triangle = '?x, ?y, ?z : borders(?x, ?y), borders(?y, ?z), borders(?z, ?x)';
/** The name of what has the focus; tests know no types of pages. */
const nameOfFocused =
  '(({ activeElement: at }) => at.labels?.[0]?.textContent ?? at.getAttribute("aria-label") ?? at.textContent)(document)';

describe.skipIf(!present)('several variables on the playground', () => {
  let engine: Engine;
  let service: Service;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let complaints: string[] = [];
  /** What the translator of the server does with a question that no template fits. */
  let translate: Translator = async () => 'nonsense';

  beforeAll(async () => {
    const dataset = loadCountries();
    const { vocabulary } = dataset;
    const { relationCount } = vocabulary;
    // What borders is bordered.
    const rules = [
      { kind: 'path', relation: 0, path: [1], hits: 60, predictions: 61 },
      { kind: 'path', relation: 1, path: [0], hits: 60, predictions: 61 },
    ] as const;
    const evidence = { weights: defaultWeights(relationCount), rules: { relationCount, rules } };
    engine = await openGraphEngine({
      vocabulary,
      facts: dataset.graphs().train,
      evidence,
      name: 'countries',
    });
    service = await startService({
      engines: [engine],
      bundles: [],
      settings: await readSettings({ flags: { port: '0', workers: '0' }, environment: {} }),
      playground: join(root, 'packages/playground/dist/app'),
      log: createLog({ level: 'silent' }),
      mount: [wordsPart({ translator: (...asked) => translate(...asked) })],
    });
    await service.opened;
    const { launchChromium } = await import('./launch-chromium.ts');
    browser = await launchChromium(chromiumPath);
  });
  afterAll(async () => {
    await browser?.close();
    await service?.close();
  });
  beforeEach(async () => {
    complaints = [];
    const permissions = ['clipboard-read', 'clipboard-write'];
    context = await browser.newContext({ viewport: { width: 1280, height: 900 }, permissions });
    page = await context.newPage();
    page.setDefaultTimeout(20_000);
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(error.message));
  });
  afterEach(async () => {
    await context.close();
    expect(complaints).toEqual([]);
  });

  const open = async (pattern?: string): Promise<void> => {
    const hash = pattern === undefined ? '' : `#${new URLSearchParams({ v: '1', p: pattern }).toString()}`;
    await page.goto(`${service.url}/playground/${hash}`);
  };
  const item = (name: string) => page.getByRole('button', { name, exact: true });
  const field = () => page.getByLabel('The pattern as text');
  const relation = () => page.getByRole('combobox', { name: 'Relation of the link' });
  /** The rows of the table, once nothing is asked any more. */
  const shown = async (): Promise<string[]> => {
    await page.locator('.answers[aria-busy=false] .answer-row').first().waitFor();
    return page.locator('.answer-row').evaluateAll((rows) =>
      rows.map((row) => {
        const cells = [...row.querySelectorAll('td bdi, .degree .number')];
        return cells.map(({ textContent }) => textContent).join(' | ');
      }),
    );
  };
  const answersOfApi = async (pattern: string): Promise<string[]> => {
    const response = await fetch(`${service.url}/v1/patterns`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ pattern }),
    });
    const { rows, suggestions } = (await response.json()) as PatternAnswer;
    const textOf = ({ entities, degree }: PatternAnswer['rows'][number]): string =>
      [...entities.map(({ label }) => label), degree.toFixed(3)].join(' | ');
    return [...rows, ...suggestions].map(textOf);
  };
  /** Whether a row of the table has three countries each of which borders the next. */
  const isCycle = (row: string): boolean => {
    const ids = row
      .split(' | ')
      .slice(0, 3)
      .map((label) => engine.vocabulary.findEntity(label));
    return ids.every((id, i) => engine.facts.has(id, 0, ids[(i + 1) % 3]!));
  };
  const expectTriangle = async (): Promise<void> => {
    await expect.poll(() => field().inputValue()).toBe(triangle);
    await expect.poll(shown).toEqual(await answersOfApi(triangle));
    expect((await shown()).filter(isCycle)).toHaveLength(10);
    await expect.poll(() => new URLSearchParams(new URL(page.url()).hash.slice(1)).get('p')).toBe(triangle);
  };

  it('draws a triangle by mouse and reads its table', async () => {
    await open();
    await page.getByRole('button', { name: 'Several variables' }).click();
    await page.getByRole('button', { name: 'Add a variable' }).click();
    const drag = async (from: string, to: string): Promise<void> => {
      const middle = async (name: string): Promise<readonly [number, number]> => {
        const box = (await item(`?${name}, answer variable`).boundingBox())!;
        return [box.x + box.width / 2, box.y + box.height / 2];
      };
      await page.mouse.move(...(await middle(from)));
      await page.mouse.down();
      await page.mouse.move(...(await middle(to)), { steps: 3 });
      await page.mouse.up();
      await relation().fill('borders');
      await page.getByRole('option', { name: 'borders', exact: true }).click();
    };
    await drag('x', 'y');
    await drag('y', 'z');
    // Open as yet: most paths close no cycle.
    await expect.poll(shown).toEqual(await answersOfApi('?x, ?y, ?z : borders(?x, ?y), borders(?y, ?z)'));
    expect((await shown()).filter(isCycle).length).toBeLessThan(10);
    await drag('z', 'x');
    await expectTriangle();
    const why = page.getByRole('button', { name: /^Why / }).first();
    await why.click();
    expect(await page.locator('tr:not([hidden]) .links > li').count()).toBe(3);
    const conditions = page.locator('tr:not([hidden]) .operand-name');
    expect((await conditions.allTextContents()).toSorted()).toEqual([
      '?x borders ?y',
      '?y borders ?z',
      '?z borders ?x',
    ]);
    await page.getByLabel('Count').check();
    await page.getByText(/The facts record \d+ answers\./).waitFor();
    await page.getByRole('button', { name: 'Copy as CSV' }).click();
    await page.getByText('Copied').waitFor();
    const csv = await page.evaluate<string>('navigator.clipboard.readText()');
    expect(csv.split('\r\n')[0]).toBe('kind,x,x key,y,y key,z,z key,degree,state');
    expect(csv.trim().split('\r\n')).toHaveLength(11);
  });

  it('draws the same by keyboard alone', async () => {
    const tabTo = async (name: string): Promise<void> => {
      for (let presses = 0; presses < 120; presses++) {
        if ((await page.evaluate<string | null>(nameOfFocused))?.trim() === name) return;
        await page.keyboard.press('Tab');
      }
      expect.fail(`nothing called ${name} takes the focus`);
    };
    await open();
    await page.getByRole('button', { name: 'Several variables' }).waitFor();
    await tabTo('Several variables');
    await page.keyboard.press('Enter');
    await tabTo('Add a variable');
    await page.keyboard.press('Enter');
    for (const [from, to] of [
      ['x', 'y'],
      ['y', 'z'],
      ['z', 'x'],
    ]) {
      await tabTo(`?${from}, answer variable`);
      await page.keyboard.press('Enter');
      await tabTo('Link to…');
      await page.keyboard.press('Space');
      await tabTo(`?${to}, answer variable`);
      await page.keyboard.press('Enter');
      await relation().waitFor();
      expect(await page.evaluate(nameOfFocused)).toBe('Relation of the link');
      await page.keyboard.type('borders');
      // Enter picks from the list of the whole text: a shorter text may find as many.
      await page.locator('[role=listbox][aria-busy=false]').waitFor();
      await expect.poll(() => page.getByRole('option').count()).toBe(2);
      await page.keyboard.press('Enter');
      await expect.poll(() => page.evaluate(nameOfFocused)).toBe(`?${from} borders ?${to}`);
    }
    await expectTriangle();
    await page.keyboard.press('Delete');
    await expect.poll(() => field().inputValue()).toBe('?x, ?y, ?z : borders(?x, ?y), borders(?y, ?z)');
    // The keyboard goes on in the card.
    expect(await page.evaluate(nameOfFocused)).toBe('Add a variable');
    await page.keyboard.press('Control+z');
    await expectTriangle();
  });

  it('draws what is typed, says where a text is wrong, and negates, unmarks and removes', async () => {
    await open(triangle);
    await expectTriangle();
    const text = '?x, ?y : borders(?x, ?y), "uses currency"(?x, Euro), ?x != ?y';
    await field().fill(text);
    await item('Euro, entity').waitFor();
    await expect.poll(shown).toEqual(await answersOfApi(text));
    await item('?x uses currency Euro').focus();
    await page.keyboard.press('Enter');
    await item('Not').click();
    await expect.poll(() => field().inputValue()).toContain('not "uses currency"(?x, Euro)');
    await item('?y, answer variable').click();
    await item('Answer').click();
    await page.getByRole('columnheader', { name: '?y' }).waitFor({ state: 'detached' });
    await item('?y, variable').focus();
    await page.keyboard.press('Delete');
    await page.getByText('expected the answer variable ?x').waitFor();
    await item('Undo').click();
    await shown();
    await field().fill('?x : borders(?x, Frence)');
    const problem = page.getByRole('alert');
    await problem.waitFor();
    expect(await problem.textContent()).toMatch(/^Line 1, column 18: .*France/);
    // The browser's own words for a name that the server does not know.
    complaints = complaints.filter((text) => !/status of 404/.test(text));
    // What is drawn stays until the text can be read.
    expect(await item('?x uses currency Euro').count()).toBe(0);
    expect(await item('?x not uses currency Euro').count()).toBe(1);
  });

  const asksWords = async (question: string): Promise<void> => {
    await page.getByLabel('A question in English').fill(question);
    await page.getByRole('button', { name: 'Write the pattern' }).press('Enter');
  };

  it('writes the pattern of a question in words, and asks it on request only', async () => {
    let asked = 0;
    page.on('request', (request) => {
      if (request.url().endsWith('/v1/patterns')) asked += 1;
    });
    await open();
    await page.getByRole('button', { name: 'Several variables' }).click();
    await asksWords('what borders France but not Germany');
    await item('?x not borders Germany').waitFor();
    await expect.poll(() => field().inputValue()).toBe('?x : borders(?x, France), not borders(?x, Germany)');
    await page.getByText('A template wrote the pattern below').waitFor();
    // It can be changed before it is asked; nothing is in the address that asks it.
    const changed = '?x : borders(?x, France), not borders(?x, Spain)';
    await field().fill(changed);
    await item('?x not borders Spain').waitFor();
    expect([asked, new URL(page.url()).hash]).toEqual([0, '#v=1&p=']);
    await page.getByRole('button', { name: 'Ask this pattern' }).press('Enter');
    await expect.poll(shown).toEqual(await answersOfApi(changed));
    await expect.poll(() => page.url()).toContain('p=');
    // Another question keeps nothing of the first; undoing brings the first back.
    await page.getByRole('button', { name: 'capital of', exact: false }).first().click();
    await page.getByRole('button', { name: 'Ask this pattern' }).waitFor();
    await item('Undo').click();
    await expect.poll(shown).toEqual(await answersOfApi(changed));
  });

  it.each([
    [
      'a translator that writes nonsense',
      async (): Promise<string> => 'I think that it is France.',
      /got "I think that it is/,
      0,
    ],
    [
      'a translator that says why the graph cannot answer',
      async (): Promise<string> => JSON.stringify({ refusal: 'no relation tells kings' }),
      /the translator says: no relation tells kings/,
      0,
    ],
    [
      'a translator that does not answer',
      async (): Promise<string> => {
        throw new FuzzError('runtime', 'translator: status 500', {
          passing: true,
          toCallers: 'The translator of questions does not answer.',
        });
      },
      /^The translator of questions does not answer/,
      1,
    ],
  ] as const)('says in one message what went wrong with %s', async (_, wrong, message, again) => {
    translate = wrong;
    await open();
    await page.getByRole('button', { name: 'Several variables' }).click();
    await page.getByText('Any question about this graph, for example:').waitFor();
    await asksWords('who is the tallest king');
    const alert = page.getByRole('alert');
    await alert.waitFor();
    expect([await alert.count(), await alert.textContent()]).toEqual([1, expect.stringMatching(message)]);
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(again);
    // What was drawn stays.
    expect(await page.locator('[data-item]').count()).toBe(2);
    expect(await axeViolations(page)).toEqual([]);
    if (again === 1) {
      translate = async () => JSON.stringify({ pattern: '?x, ?y : borders(?x, ?y)', count: true });
      await page.getByRole('button', { name: 'Try again' }).press('Enter');
      await item('?x borders ?y').waitFor();
      await page.getByText('The translator wrote the pattern below').waitFor();
      expect(await page.getByLabel('Count').isChecked()).toBe(true);
      expect(await page.evaluate(nameOfFocused)).toBe('A question in English');
    }
    complaints = complaints.filter((text) => !/status of (400|503)/.test(text));
  });

  it('begins with examples of the graph, sorts their table and takes them along', async () => {
    await open();
    await page.getByRole('button', { name: 'Several variables' }).click();
    const examples = page.locator('.examples .example');
    await expect.poll(() => examples.count()).toBe(3);
    for (const i of [0, 1, 2]) {
      await examples.nth(i).click();
      const text = await examples.nth(i).locator('.mono').textContent();
      await expect.poll(() => field().inputValue()).toBe(text);
      await expect.poll(shown).toEqual(await answersOfApi(text!));
    }
    const listed = await shown();
    const head = page.getByRole('columnheader', { name: '?y' });
    await head.getByRole('button').press('Enter');
    expect([await head.getAttribute('aria-sort'), (await shown()).toSorted()]).toEqual([
      'ascending',
      listed.toSorted(),
    ]);
    const recorded = await page
      .locator('tbody')
      .first()
      .locator('.answer-row td:nth-child(3)')
      .allTextContents();
    expect(recorded).toEqual(recorded.toSorted((a, b) => a.localeCompare(b, 'en')));
    await item('Export').click();
    await page.getByLabel('CLI').check({ force: true });
    const command = page.getByLabel('The question as CLI');
    await expect.poll(() => command.inputValue()).toMatch(/^fuzzqe query bundle '\?x, \?y : .*' -k 10\n$/);
    await page.getByRole('button', { name: 'Copy', exact: true }).click();
    expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe(await command.inputValue());
  });

  it('answers yes or no in a sentence', async () => {
    await open('borders(France, Spain)');
    await page.getByText('Yes: the recorded facts give it.').waitFor();
    await field().fill('borders(France, Japan)');
    await page.getByText(/^(No|Probably not): /).waitFor();
    expect(await page.getByRole('table').count()).toBe(0);
  });

  it.each([
    ['light', 1280],
    ['dark', 1280],
    ['light', 375],
  ] as const)('has nothing that axe objects to, %s and %d pixels wide', async (colorScheme, width) => {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 900 });
    await open();
    await page.getByRole('button', { name: 'Several variables' }).click();
    const found = { start: await axeViolations(page), open: [''], table: [''] };
    await item('?x, answer variable').click();
    await item('Link to…').click();
    await item('?y, answer variable').click();
    await page.getByRole('option').first().waitFor();
    found.open = await axeViolations(page);
    await page.keyboard.press('Enter');
    await shown();
    await page.getByRole('button', { name: /^Why / }).first().click();
    found.table = await axeViolations(page);
    expect(found).toEqual({ start: [], open: [], table: [] });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
  });
});
