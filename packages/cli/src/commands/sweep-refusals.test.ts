import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRandom } from '@fuzzqe/core';
import { sampleQuerySets, writeDataset } from '@fuzzqe/data';
import { tinyDataset } from '@fuzzqe/data/testing';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { runFuzzqe as fuzzqe } from '../testing/run-fuzzqe.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fuzzqe-sweep-refusals-'));
  const parameters = { 'optimiser.learningRate': { logUniform: [0.001, 0.02] } };
  await writeFile(join(folder, 'small.json'), JSON.stringify({ model: { dimension: 8 } }));
  await writeFile(
    join(folder, 'sweep.json'),
    JSON.stringify({ data: 'data', config: 'small.json', parameters }),
  );
  await writeFile(
    join(folder, 'four.json'),
    JSON.stringify({ data: 'data', config: 'small.json', parameters, trials: 4 }),
  );
  const dataset = tinyDataset('tiny', 1);
  const sizes = { train: 0, valid: 2, test: 0 };
  const { valid } = await sampleQuerySets(dataset, { sizes, random: createRandom('refusals') });
  await writeDataset(join(folder, 'data'), dataset, { valid });
  vi.stubEnv('AWS_ACCESS_KEY_ID', '');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', '');
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true, force: true });
});

describe('commands of sweeps', () => {
  it.each<[readonly string[], number, RegExp]>([
    [['train', '--sweep', '@sweep.json'], 2, /--store: expected/],
    [['train', '--store', 'x', 'data', '--out', 'y'], 2, /--store needs --sweep/],
    [['train', '--out', 'y'], 2, /missing required argument 'data'/],
    [['train', 'data'], 2, /required option '--out <folder>' not specified/],
    [['train', '--sweep', '@sweep.json', '--seed', '3', '--store', 'x'], 2, /cannot be used with option/],
    [['train', '--sweep', '@small.json', '--store', 'x'], 2, /\$\.model: expected no such key/],
    [['train', '--sweep', '@none.json', '--store', 'x'], 2, /none\.json/],
    [
      ['train', '--sweep', '@sweep.json', '--store', 's3://bucket/x'],
      2,
      /AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY is not set/,
    ],
    [
      ['train', '--sweep', '@four.json', '--store', '@store', '--trial', '4'],
      3,
      /trial: expected 0 to 3, got 4/,
    ],
    [['sweep', 'status', '@none'], 2, /there is no sweep here/],
    [['sweep', 'best', '@none', '--out', 'y'], 2, /there is no sweep here/],
  ])('%j ends with %i', async (args, code, message) => {
    const given = args.map((each) => each.replace(/^@/, `${folder}/`));
    expect(await fuzzqe(...given)).toMatchObject({ code, notes: expect.stringMatching(message) });
  });
});
