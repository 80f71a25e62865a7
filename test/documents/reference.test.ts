import { readFileSync } from 'node:fs';
import { presetNames } from '@fuzzqe/train';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { cliPage } from './reference/cli-page.ts';
import { errorsPage } from './reference/errors-page.ts';
import { httpPage } from './reference/http-page.ts';
import { plain } from './reference/markdown.ts';
import { presetsPage } from './reference/presets-page.ts';
import { reproducedPage } from './reference/reproduced-page.ts';
import { readRecords, resultsPage } from './reference/results-page.ts';
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

describe('the figures of accuracy', () => {
  const read = (path: string) => JSON.parse(readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8'));

  it('are records by their schema, which refuses others', () => {
    const isRecord = new Ajv2020({ strict: false }).compile(read('bench/record.schema.json'));
    const records = [...readRecords()];
    expect(records.length).toBeGreaterThan(5);
    for (const [file, record] of records)
      expect(isRecord(record), `${file}: ${JSON.stringify(isRecord.errors)}`).toBe(true);
    const [, record] = records[0]!;
    for (const wrong of [{ date: '1 May' }, { mean: { negation: 101 } }, { machine: undefined }])
      expect(isRecord(JSON.parse(JSON.stringify({ ...record, ...wrong })))).toBe(false);
  });

  it('are those of the presets that they name', () => {
    for (const [file, { preset, mode, mean }] of readRecords()) {
      if (preset === undefined) continue;
      expect(presetNames, file).toContain(preset);
      const { expected } = read(`packages/train/src/presets/${preset}.json`);
      const shares = mode === 'sets' ? expected.mrr : expected.mrrByEmbedding;
      const told = [shares['without negation'], shares['with negation']].map((share) =>
        (100 * share).toFixed(1),
      );
      expect(
        [mean['no negation'], mean['negation']].map((value) => value?.toFixed(1)),
        file,
      ).toEqual(told);
    }
  });

  it('make the page of results', async () => {
    expect(resultsPage()).toContain('### FB15k-237\n');
    await expect(resultsPage()).toMatchFileSnapshot('../../docs/results.md');
  });

  it('make the page of the table that was reproduced last', async () => {
    const text = await reproducedPage();
    expect(text).toContain('| GQE | sets |');
    await expect(text).toMatchFileSnapshot('../../docs/reproduced.md');
  });
});

it('shows texts of programs as they are', () => {
  expect(plain('a <b> | {{ c }} `<d>`\n  e')).toBe('a &lt;b> \\| &#123;&#123; c }} `<d>` e');
});
