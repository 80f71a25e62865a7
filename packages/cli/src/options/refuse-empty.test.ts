import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { runFuzzqe } from '../testing/run-fuzzqe.ts';

it.each([
  ["option '--out <folder>'", ['data', 'countries', '--out', '']],
  ["option '--out <folder>'", ['train', 'data', '--out=']],
  ["option '--structure <text>'", ['data', 'sample', 'data', '--structure', '']],
  ["argument 'folder'", ['data', 'sample', '']],
  ["argument 'bundles'", ['serve', 'bundle', '']],
])('refuses an empty %s, and leaves the current folder as it is', async (what, args) => {
  const folder = await mkdtemp(join(tmpdir(), 'fuzzqe-empty-'));
  await writeFile(join(folder, 'mine.txt'), 'mine');
  const cwd = vi.spyOn(process, 'cwd').mockReturnValue(folder);
  const outcome = await runFuzzqe(...args).finally(() => cwd.mockRestore());
  expect(outcome).toMatchObject({
    code: 2,
    notes: expect.stringContaining(`error: ${what}: expected a value, got an empty one`),
  });
  expect(await readdir(folder)).toEqual(['mine.txt']);
  await rm(folder, { recursive: true });
});

it('takes a default that is empty', async () => {
  const { notes } = await runFuzzqe(
    ...['data', 'add-queries', 'none', 'none.jsonl', '--name', 'q2b', '--split', 'test'],
  );
  expect(notes).toContain('none: expected the folder of');
});
