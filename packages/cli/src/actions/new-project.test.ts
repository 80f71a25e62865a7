import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tinyBundle } from '@fuzzqe/parity/testing';
import { createExitCodes } from 'create-fuzzqe';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exitCodes } from '../terminal/exit-code.ts';
import { runFuzzqe } from '../testing/run-fuzzqe.ts';

describe('fuzzqe new', () => {
  let folder: string;
  let workers: string;
  let node: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fuzzqe-new-'));
    [workers, node] = await Promise.all([
      tinyBundle('tiny', ['int8-basis'], 'workers').then(({ directory }) => directory),
      tinyBundle().then(({ directory }) => directory),
    ]);
  });
  afterAll(() =>
    Promise.all([folder, workers, node].map((each) => rm(each, { recursive: true, force: true }))),
  );

  it.each([
    ['worker', 'assets/bundle', () => workers],
    ['serve', 'runs/graph/bundle', () => node],
    ['page', 'public/bundle', () => node],
  ])('writes a project %s with a copy of the bundle', async (template, place, bundle) => {
    const target = join(folder, `my ${template}`);
    expect(await runFuzzqe('new', template, target, '--bundle', bundle())).toMatchObject({ code: 0 });
    expect((await readdir(join(target, place))).toSorted()).toEqual((await readdir(bundle())).toSorted());
  });

  it('refuses a folder with something in it, and a bundle for servers as one for Workers and the reverse', async () => {
    const full = join(folder, 'full');
    await runFuzzqe('new', 'worker', full);
    await writeFile(join(full, 'mine.txt'), 'mine');
    const other = join(folder, 'other');
    for (const [args, message] of [
      [['worker', full], /expected a new or an empty folder/],
      [['worker', other, '--bundle', node], /expected a bundle for Workers, got one for servers/],
      [['serve', other, '--bundle', workers], /expected a bundle for servers, got one for Workers/],
    ] as const) {
      const { code, notes } = await runFuzzqe('new', ...args);
      expect({ code, notes }).toEqual({ code: 2, notes: expect.stringMatching(message) });
    }
    expect(await readdir(full)).toContain('mine.txt');
    expect(await readdir(folder)).not.toContain('other');
  });

  it('refuses a bundle that is damaged', async () => {
    const damaged = join(folder, 'damaged');
    await runFuzzqe('new', 'serve', damaged, '--bundle', node);
    await writeFile(join(damaged, 'runs/graph/bundle/facts.bin'), 'other');
    const copy = join(folder, 'copy');
    const args = ['new', 'serve', copy, '--bundle', join(damaged, 'runs/graph/bundle')];
    expect(await runFuzzqe(...args)).toMatchObject({ code: 6 });
    expect(await readdir(folder)).not.toContain('copy');
  });

  it('has the exit codes that npm create fuzzqe has', () => {
    expect(exitCodes).toMatchObject(createExitCodes);
  });
});
