// The pictures of the playground in README.md and docs/playground.md: each state of the page, driven in Chromium on a bundle of the demo.
//
//   npm run build && node scripts/playground-pictures.mjs runs/demo/bundle [--out docs/images] [--chromium /usr/bin/chromium]
//
// Look at each before it is committed.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { pageFolder } from '@fuzzqe/playground';
import { createLog, readSettings, startService } from '@fuzzqe/serve';
import { chromium } from 'playwright-core';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    out: { type: 'string', default: 'docs/images' },
    chromium: { type: 'string', default: '/usr/bin/chromium' },
  },
});
const [bundle] = positionals;
if (bundle === undefined) throw new Error('usage: node scripts/playground-pictures.mjs BUNDLE');

const desktop = { viewport: { width: 1280, height: 860 } };
const phone = { viewport: { width: 390, height: 844 }, colorScheme: 'dark', deviceScaleFactor: 2 };
const question = 'and(project(borders, Germany), not(project("uses currency"^-1, Euro)))';

/** Each state: how the page is opened, and what is done until it is there. */
const states = {
  playground: {
    async reach(page) {
      await page.locator('.answer', { hasText: 'Liechtenstein' }).locator('summary').click();
    },
  },
  'playground-build': {
    async reach(page) {
      await page.getByRole('button', { name: 'Start over' }).click();
      await page.getByRole('button', { name: 'Clear', exact: true }).click();
      await pickEntity(page, 'Germany');
      await page.getByRole('listbox', { name: 'Follow a relation' }).getByRole('option').first().waitFor();
    },
  },
  'playground-sparql': {
    async reach(page) {
      await page.getByRole('tab', { name: 'SPARQL' }).click();
      const field = page.getByLabel('The question as SPARQL');
      await until(async () => (await field.inputValue()).includes('SELECT'));
      await field.fill((await field.inputValue()).replace('country:DEU', 'country:Germania'));
      await page.getByRole('alert').waitFor();
    },
  },
  'playground-desk': {
    async reach(page) {
      await page.getByRole('button', { name: 'Explore' }).click();
      await pickEntity(page, 'Lesotho');
      const suggestions = page.getByRole('region', { name: 'Suggested by the model' });
      for (const [verdict, place] of [
        ['Accept', 1],
        ['Reject', 0],
        ['Reject', 2],
      ])
        await suggestions
          .getByRole('button', { name: new RegExp(`^${verdict}: `) })
          .nth(place)
          .click();
    },
  },
  'playground-phone': { device: phone, async reach() {} },
};

const service = await startService({
  bundles: [bundle],
  settings: await readSettings({
    flags: { port: '0', playground: 'bundle', workers: '1' },
    environment: {},
  }),
  playground: fileURLToPath(pageFolder),
  log: createLog({ level: 'silent' }),
});
const browser = await chromium.launch({
  executablePath: values.chromium,
  chromiumSandbox: false,
  args: ['--disable-dev-shm-usage', '--disable-gpu', '--disable-quic'],
});
try {
  await service.opened;
  for (const [name, { device = desktop, reach }] of Object.entries(states)) {
    const context = await browser.newContext(device);
    const page = await context.newPage();
    await page.goto(`${service.url}/playground/#${new URLSearchParams({ v: '1', q: question })}`);
    await page.locator('.answers[aria-busy=false] .answer-list').waitFor();
    await reach(page);
    // Fonts and bars that move have come to rest.
    await page.waitForTimeout(300);
    const session = await context.newCDPSession(page);
    const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 82 });
    await writeFile(join(values.out, `${name}.webp`), data, 'base64');
    process.stdout.write(`${join(values.out, `${name}.webp`)}\n`);
    await context.close();
  }
} finally {
  await browser.close();
  await service.close();
}

async function pickEntity(page, name) {
  await page.getByRole('combobox', { name: 'Pick an entity' }).fill(name);
  await page.getByRole('option', { name }).first().click();
}

/** Waits for what no locator can: the policy of the page allows it no script of ours. */
async function until(holds) {
  while (!(await holds())) await new Promise((settle) => setTimeout(settle, 50));
}
