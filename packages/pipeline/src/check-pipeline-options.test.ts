import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tinyDataset } from '@fuzzqe/data/testing';
import { presets } from '@fuzzqe/train';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkPipelineOptions } from './check-pipeline-options.ts';
import { type PipelineOptions, pipeline } from './pipeline.ts';

const { training } = presets.countries;

describe('the options of a pipeline', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fuzzqe-pipeline-options-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it.each(Object.entries(presets))('may be those of the preset %s', (_, preset) => {
    const { training: config, queries } = preset;
    expect(() => checkPipelineOptions({ triples: 'triples.tsv', config, queries })).not.toThrow();
  });

  it.each<[string, unknown, string]>([
    ['steps', Number.NaN, 'expected an integer >= 1, got NaN'],
    ['steps', 0, 'got 0'],
    ['steps', 1.5, 'got 1.5'],
    ['steps', '5', 'got "5"'],
    ['threads', 0, 'expected an integer in [1, 256], got 0'],
    ['threads', -1, 'got -1'],
    ['threads', Number.NaN, 'got NaN'],
    ['seed', -1, 'expected an integer >= 0, got -1'],
    ['seed', 1.5, 'got 1.5'],
    ['queries', {}, 'expected an integer >= 0, got nothing'],
    ['queries.valid', -1, 'got -1'],
    ['facts', 'some', 'expected one of "train", "all", got "some"'],
    ['profiles', [], 'a length >= 1'],
    ['profiles[0]', 'fp99', 'got "fp99"'],
    ['runtimes[0]', 'x', 'got "x"'],
    ['name', ' ', 'expected a text that is not empty'],
    ['out', '', 'expected a text that is not empty'],
    ['config', {}, 'expected'],
    ['config.steps', 0, 'got 0'],
    ['triples', undefined, 'expected a path, or a data set'],
    ['triples', '', 'got ""'],
    ['triples', [[0, 1, 2]], 'got [[0,1,2]]'],
    ['import', 'csv', 'expected an object, got "csv"'],
    ['runtime', 'cpu', 'expected a training runtime, got "cpu"'],
    ['onEvent', true, 'expected a function, got true'],
    ['signal', {}, 'expected an AbortSignal, got {}'],
    ['step', 5, 'expected no such key, got 5 (did you mean "steps"'],
  ])('are refused before anything begins: %s %j', async (path, value, message) => {
    const [name, within] = path.split(/[.[]/) as [string, string?];
    const whole = { queries: { train: 1, valid: 1, test: 1 }, config: training };
    const outer =
      name === 'queries' || name === 'config' ? { ...whole[name], [within ?? '']: value } : [value];
    const events: unknown[] = [];
    const options: object = {
      ...{
        triples: tinyDataset('tiny', 1),
        out: join(folder, 'out'),
        onEvent: (event: unknown) => events.push(event),
      },
      [name]: within === undefined ? value : outer,
    };
    // Callers without types can ask so.
    await expect(pipeline(options as PipelineOptions)).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringMatching(/^options of the pipeline:/),
    });
    await expect(pipeline(options as PipelineOptions)).rejects.toThrow(message);
    await expect(pipeline(options as PipelineOptions)).rejects.toThrow(`$.${path}`);
    expect(events).toEqual([]);
    expect(await readdir(folder)).toEqual([]);
  });

  it.each([null, undefined, 'triples.tsv'])('are an object, and not %s', async (options) => {
    await expect(pipeline(options as never)).rejects.toMatchObject({ code: 'usage' });
  });

  it('have a name where the data set has none', async () => {
    const triples = { ...tinyDataset('tiny', 1), name: '' };
    await expect(pipeline({ triples, out: join(folder, 'out') })).rejects.toMatchObject({
      ...{ code: 'usage', path: '$.name' },
    });
  });
});
