import { access, constants, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryBundle } from '@fuzzqe/engine/testing';
import { exportMemoryBundle } from '@fuzzqe/parity/testing';
import { createLog, readSettings, type Service, startService } from '@fuzzqe/serve';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { axeViolations } from './axe-violations.ts';
import { root } from './workspace.ts';

const environment = process.env;
const chromiumPath = environment['CHROMIUM_PATH'] ?? '/usr/bin/chromium';
const present = await access(chromiumPath, constants.X_OK).then(
  () => true,
  () => false,
);
if (!present && environment['FUZZQE_REQUIRE_RUNTIMES'] === '1')
  it('chromium is present', () => expect.fail(`no program ${chromiumPath}`));

interface Link {
  readonly head: string;
  readonly relation: string;
  readonly tail: string;
}

let folder = '';
let service: Service;
let browser: Browser;
let page: Page;
let complaints: string[];
/** Whether something stands between the page and the server, and with which answer. */
let refused: { readonly status: number; readonly detail: string } | undefined;

describe.skipIf(!present)('the desk on a server that takes facts', () => {
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fuzzqe-desk-'));
    const bundle = join(folder, 'tiny', '1');
    await exportMemoryBundle(bundle, await memoryBundle(), { profiles: ['fp32'], golden: 2 });
    const flags = { port: '0', workers: '1', facts: join(folder, 'facts') };
    service = await startService({
      bundles: [bundle],
      settings: await readSettings({ flags, environment: {} }),
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
  beforeEach(async () => {
    complaints = [];
    refused = undefined;
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
    page = await context.newPage();
    page.setDefaultTimeout(20_000);
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(error.message));
    await page.route(/\/v1\/(judgements|facts)(\?|$)/, (route) =>
      refused === undefined || route.request().method() !== 'POST'
        ? route.continue()
        : route.fulfill({ status: refused.status, json: { detail: refused.detail } }),
    );
    await page.goto(`${service.url}/playground/`);
    await page.getByRole('button', { name: 'Explore' }).click();
    await page.getByRole('heading', { name: 'Ask me next' }).waitFor();
    return async () => {
      await context.close();
      expect(complaints).toEqual([]);
    };
  });

  const ask = async <T>(path: string, body?: object): Promise<T> => {
    const sent = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    };
    const response = await fetch(`${service.url}${path}`, body === undefined ? {} : sent);
    return (await response.json()) as T;
  };
  const isRecorded = async (link: Link): Promise<boolean> => {
    const { recorded } = await ask<{ recorded: boolean }>(
      `/v1/facts?${new URLSearchParams({ ...link }).toString()}`,
    );
    return recorded;
  };
  const pick = async (name: string): Promise<void> => {
    await page.getByRole('combobox').fill(name);
    await page.getByRole('option', { name }).first().click();
    await page.getByRole('heading', { name, exact: true }).waitFor();
  };
  /** The first suggestion that is shown. */
  const first = async (): Promise<{ readonly what: string; readonly link: Link }> => {
    const accept = suggestions()
      .getByRole('button', { name: /^Accept: / })
      .first();
    const what = (await accept.getAttribute('aria-label'))!.replace('Accept: ', '');
    return { what, link: linkOf(what) };
  };
  const linkOf = (what: string): Link => {
    const [head, relation, tail] = what.split(', ').map((name) => /\d+/.exec(name)![0]);
    return { head: `e${head}`, relation: `r${relation}`, tail: `e${tail}` };
  };
  const suggestions = () => page.getByRole('region', { name: 'Suggested by the model' });
  const judged = () => page.getByRole('region', { name: 'Judged' });
  const button = (word: string, what: string) =>
    suggestions().getByRole('button', { name: `${word}: ${what}`, exact: true });
  const gone = async (what: string): Promise<void> => {
    await expect.poll(() => button('Accept', what).count()).toBe(0);
  };

  it('writes what is accepted, and takes it back', async () => {
    await pick('Entity 1');
    const { what, link } = await first();
    expect(await isRecorded(link)).toBe(false);
    await button('Accept', what).focus();
    await page.keyboard.press('Enter');
    await judged()
      .getByRole('button', { name: `Take back: ${what}` })
      .waitFor();
    expect(await isRecorded(link)).toBe(true);
    await gone(what);
    // The next suggestion has the focus, so that the keyboard goes on.
    await expect
      .poll(() => page.evaluate('document.activeElement.getAttribute("aria-label")'))
      .toMatch(/^Accept: /);
    expect(await axeViolations(page)).toEqual([]);
    await judged()
      .getByRole('button', { name: `Take back: ${what}` })
      .click();
    await button('Accept', what).waitFor();
    expect(await isRecorded(link)).toBe(false);
    await page.getByText('0 accepted, 0 rejected').waitFor();
  });

  it('writes what is rejected, which is suggested again once it is taken back', async () => {
    await pick('Entity 2');
    const { what } = await first();
    await button('Reject', what).click();
    await judged().getByText('(rejected)').waitFor();
    await gone(what);
    await page.reload();
    await page.getByRole('button', { name: 'Explore' }).click();
    await judged()
      .getByRole('button', { name: `Take back: ${what}` })
      .click();
    await page.getByText('0 accepted, 0 rejected').waitFor();
    await pick('Entity 2');
    await button('Accept', what).waitFor();
  });

  it('shows what speaks against a fact before it is written', async () => {
    await pick('Entity 3');
    const { what, link } = await first();
    await ask('/v1/judgements', { reject: [link] });
    await button('Accept', what).click();
    await suggestions().getByText('The link was rejected.').waitFor();
    expect(await isRecorded(link)).toBe(false);
    expect(await axeViolations(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.setViewportSize({ width: 375, height: 800 });
    expect(await axeViolations(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(375);
    await page.keyboard.press('Escape');
    await button('Accept', what).click();
    await suggestions().getByText('The link was rejected.').waitFor();
    expect(await isRecorded(link)).toBe(false);
    await suggestions().getByRole('button', { name: 'Accept anyway' }).click();
    await judged().getByText('(accepted)').waitFor();
    expect(await isRecorded(link)).toBe(true);
    await ask('/v1/facts', { remove: [link] });
  });

  it('says at the row why a verdict was not written, and keeps the verdict of a caller who may not write', async () => {
    await pick('Entity 4');
    const { what, link } = await first();
    refused = { status: 503, detail: 'The disk is full.' };
    await button('Reject', what).click();
    await suggestions().getByText('The disk is full.').waitFor();
    expect(await judged().getByRole('listitem').count()).toBe(0);
    refused = { status: 403, detail: 'Ask with another key.' };
    await button('Accept', what).click();
    await page.getByText('Ask with another key. Verdicts stay in this browser.').waitFor();
    await page.getByText('1 accepted, 0 rejected').waitFor();
    expect(await axeViolations(page)).toEqual([]);
    expect(await button('Accept', what).getAttribute('aria-pressed')).toBe('true');
    expect(await isRecorded(link)).toBe(false);
    expect(complaints).toHaveLength(2);
    complaints = [];
  });

  it('asks what teaches most, one link after the other, and says how far the model was right', async () => {
    const next = page.getByRole('region', { name: 'Ask me next' });
    await next.getByText('No link is judged yet.').waitFor();
    await next.getByRole('button', { name: 'Begin' }).click();
    const accept = next.getByRole('button', { name: /^Accept: / });
    const asked = async (): Promise<string> => (await accept.getAttribute('aria-label'))!.slice(8);
    const skipped = await asked();
    await next.getByRole('button', { name: 'Skip' }).press('Enter');
    await expect.poll(asked).not.toBe(skipped);
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Ask me next');
    const what = await asked();
    await next.getByRole('button', { name: /^Reject: / }).press('Enter');
    await expect.poll(asked).not.toBe(what);
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Ask me next');
    await next.getByText(/^Of 1 judged link, the model said \d+ % on average; 0 % were accepted\./).waitFor();
    await judged()
      .getByRole('button', { name: `Take back: ${what}` })
      .waitFor();
    const seen = new Set([skipped, what]);
    for (let i = 0; i < 6; i++) {
      await expect.poll(async () => seen.has(await asked())).toBe(false);
      seen.add(await asked());
      await next.getByRole('button', { name: 'Skip' }).click();
    }
    expect(await axeViolations(page)).toEqual([]);
    await pick('Entity 5');
    await next.getByText('of Entity 5', { exact: true }).waitFor();
    await expect.poll(asked).toContain('Entity 5');
    await ask('/v1/facts', { remove: [linkOf(what)] });
  });
});
