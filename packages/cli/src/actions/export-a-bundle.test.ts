import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TinyBundle, tinyBundle } from '@fuzzqe/parity/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runFuzzqe as fuzzqe } from '../testing/run-fuzzqe.ts';

let bundle: TinyBundle;
let folder: string;
beforeAll(async () => {
  bundle = await tinyBundle();
  folder = await mkdtemp(join(tmpdir(), 'fuzzqe-triton-'));
});
afterAll(() =>
  Promise.all([bundle.directory, folder].map((path) => rm(path, { recursive: true, force: true }))),
);

const exported = (...args: readonly string[]): ReturnType<typeof fuzzqe> =>
  fuzzqe('export', bundle.directory, '--target', 'triton', ...args);

it('a bundle becomes a model repository, with the numbers that the command names', async () => {
  const out = join(folder, 'models');
  const flags = ['--name', 'mine', '--answers', '7', '--max-batch', '16', '--bundle-version', '4', '--json'];
  const { code, out: printed } = await exported('--out', out, ...flags);
  expect(code).toBe(0);
  const { models } = JSON.parse(printed) as { models: string[] }; // as it is documented
  expect((await readdir(out)).sort()).toEqual(models.toSorted());
  const config = await readFile(join(out, 'mine-2i', 'config.pbtxt'), 'utf8');
  expect(config).toContain('max_batch_size: 16\n');
  expect(config).toContain('name: "scores"\n  data_type: TYPE_FP32\n  dims: 7\n');
  expect(await readdir(join(out, 'mine-answer'))).toEqual(['4', 'config.pbtxt']);
});

it.each<[readonly string[], number, string]>([
  [[], 2, 'expected --out'],
  [['--repository', 'x'], 2, 'expected --out'],
  [['--out', 'x', '--profile', 'fp32,int8'], 2, 'expected one profile, got fp32, int8'],
  [['--out', 'x', '--answers', '41'], 3, 'k: expected an integer in [1, 40], got 41'],
  [['--out', 'x', '--max-batch', '0'], 2, 'max-batch'],
  [['--out', 'x', '--facts', 'all'], 2, 'facts: expected none for a bundle, got all'],
  [['--out', 'x', '--data', 'data'], 2, 'data: expected none for a bundle, got data'],
  [['--out', 'x', '--name', 'my models'], 2, 'expected letters, digits'],
])('refuses %j', async (args, code, said) => {
  const given = args.map((each) => (each === 'x' ? join(folder, 'x') : each));
  const refused = await exported(...given);
  expect(refused).toMatchObject({ code, notes: expect.stringContaining(said) });
  expect(await readdir(folder)).not.toContain('x');
});

it('a bundle becomes a repository of the Hub, which is opened as any bundle', async () => {
  const out = join(folder, 'hub');
  const done = await fuzzqe('export', bundle.directory, '--target', 'hf', '--out', out);
  const there = (await readdir(out, { recursive: true, withFileTypes: true })).filter((each) =>
    each.isFile(),
  );
  // What the manifest does not name, too: itself, and what the Hub reads.
  expect(done).toMatchObject({ code: 0, notes: expect.stringContaining(`hub: ${there.length} files, `) });
  expect(await readFile(join(out, 'README.md'), 'utf8')).toMatch(/^---\nlicense: /);
  const answers = (path: string) => fuzzqe('query', path, 'project(r0, e1)', '--json');
  const { code, out: printed } = await answers(out);
  expect(code).toBe(0);
  expect(printed).toBe((await answers(bundle.directory)).out);
});

it.each<[readonly string[], number, string]>([
  [['--target', 'tritn'], 2, 'node, workers, hf, triton'],
  [['--target', 'workers', '--answers', '3'], 2, 'answers: target workers: expected none, got 3'],
  [['--target', 'hf', '--answers', '3'], 2, 'answers: expected none for a bundle, got 3'],
  [['--target', 'hf', '--data', 'data'], 2, 'data: expected none for a bundle, got data'],
  [['--target', 'hf', '--profile', 'int8'], 2, 'profile: expected none for a bundle, got int8'],
  [['--target', 'hf', '--facts', 'train'], 2, 'facts: expected none for a bundle, got train'],
  [['--target', 'hf', '--queries', '20'], 2, 'queries: expected none for a bundle, got 20'],
  [['--target', 'hf', '--seed', '1'], 2, 'seed: expected none for a bundle, got 1'],
  [['--target', 'hf', '--threads', '1'], 2, 'threads: expected none for a bundle, got 1'],
  [['--target', 'hf', '--repository', 'x'], 2, 'expected --out, or --repository'],
  [['--target', 'node'], 2, 'expected --data'],
])('other targets refuse %j', async (args, code, said) => {
  const refused = await fuzzqe('export', bundle.directory, '--out', join(folder, 'x'), ...args);
  expect(refused).toMatchObject({ code, notes: expect.stringContaining(said) });
});
