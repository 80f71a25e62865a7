import { describe, expect, it } from 'vitest';
import { cliPage } from './reference/cli-page.ts';
import { errorsPage } from './reference/errors-page.ts';
import { httpPage } from './reference/http-page.ts';
import { plain } from './reference/markdown.ts';
import { presetsPage } from './reference/presets-page.ts';
import { settingsPage } from './reference/settings-page.ts';
import { trainingConfigurationPage } from './reference/training-configuration-page.ts';

/** The page in docs/reference; `npm run reference` writes it. */
const page = (name: string): string => `../../docs/reference/${name}.md`;

describe('the reference is what the programs say', () => {
  it('of commands and exit codes', async () => {
    const text = await cliPage();
    for (const command of ['train', 'serve', 'data sample', 'parity'])
      expect(text).toMatch(new RegExp(`^#+ fuzzqe ${command}$`, 'm'));
    await expect(text).toMatchFileSnapshot(page('cli'));
    const exitCodes = text.match(/Exit codes:\n([\s\S]*?)\n```/)?.[1];
    const errors = await errorsPage(exitCodes ?? '');
    expect(errors).toContain('| `vocabulary` |');
    await expect(errors).toMatchFileSnapshot(page('errors'));
  });

  it('of settings', async () => {
    const text = settingsPage();
    expect(text).toContain('`FUZZQE_SERVE_PORT`');
    await expect(text).toMatchFileSnapshot(page('settings'));
  });

  it('of the HTTP API', async () => {
    const text = await httpPage();
    expect(text).toContain('### POST /v1/query\n');
    await expect(text).toMatchFileSnapshot(page('http'));
  });

  it('of presets and the training configuration', async () => {
    expect(presetsPage()).toContain('\n## fb15k-237-gpu\n');
    await expect(presetsPage()).toMatchFileSnapshot(page('presets'));
    expect(trainingConfigurationPage()).toContain('`optimiser.schedule`');
    await expect(trainingConfigurationPage()).toMatchFileSnapshot(page('training-configuration'));
  });
});

it('shows texts of programs as they are', () => {
  expect(plain('a <b> | {{ c }} `<d>`\n  e')).toBe('a &lt;b> \\| &#123;&#123; c }} `<d>` e');
});
