import { pageIcon, pageTokens } from '@fuzzqe/core/text';
import { openEngine } from '@fuzzqe/engine';
import { memoryBundle, referenceSessions } from '@fuzzqe/engine/testing';
import { formatHtml } from '@fuzzqe/parity';
import { startServer } from '@fuzzqe/serve';
import { presets } from '@fuzzqe/train';
import { expect, it } from 'vitest';
import { reportPage } from './page.ts';

/** What a server shows to people at its root. */
async function landingPage(): Promise<string> {
  const { source, config, parameters } = await memoryBundle();
  const engine = await openEngine({ source, sessions: referenceSessions(config, parameters) });
  const server = await startServer({ models: engine, port: 0, closeNotice: 0 });
  try {
    return await (await fetch(server.url, { headers: { accept: 'text/html' } })).text();
  } finally {
    await server.close();
  }
}

function trainingReport(): Promise<string> {
  const { training } = presets.countries;
  return reportPage({
    name: 'new',
    state: {
      ...{ format: 'fuzzqe-run', version: 1, device: 'cpu', status: 'running' },
      model: { ...training.model, entities: 9, relations: 4 },
      config: { ...training },
      data: { name: 'countries', licence: 'unknown', sha256: 'ab'.repeat(32) },
    },
    log: [],
  });
}

const parityReport = (): Promise<string> =>
  formatHtml({
    ...{ bundle: 'bundles/mine', model: 'mine', passed: true, profiles: [] },
    ...{ cells: [], reference: [], skipped: [], undecided: [] },
  });

it.each([
  ['the landing page', landingPage],
  ['the report of a run', trainingReport],
  ['the report of parity', parityReport],
])('%s has the icon and the tokens that all pages share', async (_, page) => {
  const shown = await page();
  const [, style = ''] = /<style>(.*?)<\/style>/s.exec(shown) ?? [];
  expect(shown).toContain(pageIcon);
  expect(style.startsWith(pageTokens)).toBe(true);
});
