import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { createServer } from 'vite';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { launchChromium } from './launch-chromium.ts';
import { scratchBundle } from './scratch-bundle.ts';
import { unpackPackages } from './unpack-packages.ts';

const chromiumPath = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium';

const script = `
import { parseQueryText } from '@fuzzqe/core/query';
import { openBundle } from '@fuzzqe/edge/browser';

const show = (text) => document.body.append(Object.assign(document.createElement('output'), { textContent: text }));
try {
  const engine = await openBundle('/bundle', { runtime: 'javascript' });
  const { answers } = await engine.answer(parseQueryText('project(r0, e1)', engine.vocabulary), { k: 5, minDegree: 0 });
  show(answers.length + ' answers');
} catch (error) {
  show(error.message);
}
`;

describe.skipIf(!existsSync(chromiumPath))('a plain application of Vite, without a configuration', () => {
  const { bundle } = scratchBundle('vite-dev');
  const project = mkdtempSync(join(tmpdir(), 'fuzzqe-vite-'));
  let browser: Browser;
  beforeAll(async () => {
    unpackPackages(project, inject('tarballs'));
    writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }\n');
    writeFileSync(
      join(project, 'index.html'),
      '<!doctype html><link rel="icon" href="data:,"><script type="module" src="/main.js"></script>\n',
    );
    writeFileSync(join(project, 'main.js'), script);
    mkdirSync(join(project, 'public'));
    cpSync(bundle, join(project, 'public/bundle'), { recursive: true });
    browser = await launchChromium(chromiumPath);
  });
  afterAll(async () => {
    await browser?.close();
    rmSync(project, { recursive: true, force: true });
  });

  /** What the page shows under `vite dev`. */
  async function shown(): Promise<string | null> {
    rmSync(join(project, 'node_modules/.vite'), { recursive: true, force: true });
    const server = await createServer({
      ...{ root: project, configFile: false, logLevel: 'silent' },
      server: { port: 0, host: '127.0.0.1' },
    });
    try {
      await server.listen();
      const page = await browser.newPage();
      await page.goto(server.resolvedUrls!.local[0]!);
      const text = await page.locator('output').first().textContent({ timeout: 100_000 });
      await page.close();
      return text;
    } finally {
      await server.close();
    }
  }

  it('answers in its worker under `vite dev`', async () => {
    expect(await shown()).toBe('5 answers');
  });

  it('does not where a module of the worker is CommonJS, which Vite sends as it is', async () => {
    const modules = join(project, 'node_modules');
    mkdirSync(join(modules, 'common-js'));
    writeFileSync(join(modules, 'common-js/package.json'), '{ "name": "common-js", "main": "index.js" }\n');
    writeFileSync(join(modules, 'common-js/index.js'), 'module.exports = { common: 1 };\n');
    const entry = join(modules, '@fuzzqe/onnx/dist/read/index.js');
    writeFileSync(
      entry,
      `import common from 'common-js';\n${readFileSync(entry, 'utf8')}\nexport { common };\n`,
    );
    expect(await shown()).toContain('its script could not be loaded');
  });
});
