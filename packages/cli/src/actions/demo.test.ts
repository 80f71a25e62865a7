import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadCountries, writeDataset } from '@fuzzqe/data';
import { expect, it } from 'vitest';
import { runCommand } from '../run-command.ts';
import { runFuzzqe } from '../testing/run-fuzzqe.ts';

/** Runs the demo until its first stage begins. */
async function beginDemo(out: string): Promise<{ readonly lines: string[]; readonly notes: string[] }> {
  const [lines, notes]: [string[], string[]] = [[], []];
  const stop = (line: string): void => {
    lines.push(line);
    // All of it takes long; what is wrong with its options is said before its first stage.
    throw new Error('enough was seen');
  };
  const terminal = { out: stop, note: (line: string) => notes.push(line), status: () => {} };
  await runCommand(['demo', '--no-serve', '--out', out], { ...terminal, live: false, columns: 80 }, '0.0.0');
  return { lines, notes };
}

it('the demo asks the pipeline for what it does', async () => {
  const out = await mkdtemp(join(tmpdir(), 'fuzzqe-demo-'));
  const { lines, notes } = await beginDemo(out);
  await rm(out, { recursive: true, force: true });
  expect(notes.join('\n')).toContain('enough was seen');
  expect(lines[0]).toMatch(/1\. /);
});

it('the demo removes what an earlier one made, and refuses the folders of others', async () => {
  const out = await mkdtemp(join(tmpdir(), 'fuzzqe-demo-'));
  const [data, run] = [join(out, 'data'), join(out, 'run')];
  const mine = join(run, 'mine.txt');
  await mkdir(run);
  await writeFile(mine, 'mine');
  // A run alone, then beside a data set of another name.
  for (const write of [undefined, () => writeDataset(data, { ...loadCountries(), name: 'mine' })]) {
    await write?.();
    expect(await runFuzzqe('demo', '--no-serve', '--out', out)).toMatchObject({
      code: 2,
      notes: expect.stringContaining('run: folder: expected none, or that of an earlier demo'),
    });
    expect(await readFile(mine, 'utf8')).toBe('mine');
  }
  await rm(data, { recursive: true });
  await writeDataset(data, loadCountries());
  expect((await beginDemo(out)).notes.join('\n')).toContain('enough was seen');
  for (const folder of [data, run]) await expect(stat(folder)).rejects.toThrow('ENOENT');
  await rm(out, { recursive: true });
});
