import { mkdtemp, readdir, rm, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createRandom } from '@fuzzqe/core';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { killWriters } from '../testing/kills/kill-writers.ts';

let root = '';
let program = '';
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'fuzzqe-facts-kill-'));
  program = join(root, 'append-until-killed.mjs');
  await build({
    entryPoints: [fileURLToPath(new URL('../testing/kills/append-until-killed.ts', import.meta.url))],
    outfile: program,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    conditions: ['@fuzzqe/source'],
    logLevel: 'error',
  });
});
afterAll(() => rm(root, { recursive: true, force: true }));

describe('a process that writes facts and is killed', () => {
  it('loses no batch that it said to be durable, and writes none twice, ten times over', async () => {
    const random = createRandom(5);
    const options = { program, folder: join(root, 'facts'), kills: 10, random, longest: 150 };
    const { kills, batches, problems } = await killWriters(options);
    expect(problems).toEqual([]);
    expect(kills).toBe(10);
    expect(batches).toBeGreaterThan(40);
  });

  it('is found to have lost batches where its files are cut off', async () => {
    const report = await killWriters({
      program,
      folder: join(root, 'cut'),
      kills: 10,
      random: createRandom(6),
      longest: 150,
      tamper: async (folder) => {
        for (const name of await readdir(folder))
          if (name.startsWith('log-')) await truncate(join(folder, name), 0);
      },
    });
    expect(report.problems).not.toEqual([]);
  });
});
