import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadCountries, writeDataset } from '@fuzzqe/data';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runFuzzqe } from '../../testing/run-fuzzqe.ts';

describe('fuzzqe data countries', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fuzzqe-countries-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('can be run again, and leaves what it wrote as it is', async () => {
    const out = join(folder, 'again');
    const first = await runFuzzqe('data', 'countries', '--out', out);
    expect(first).toMatchObject({ code: 0 });
    const { mtimeMs } = await stat(join(out, 'train.tsv'));
    const second = await runFuzzqe('data', 'countries', '--out', out);
    expect(second).toMatchObject({
      code: 0,
      notes: `${out} holds this data set already: nothing was written.\n${first.notes}`,
    });
    expect((await stat(join(out, 'train.tsv'))).mtimeMs).toBe(mtimeMs);
  });

  it('shows how many links are rejected, if any', async () => {
    const out = join(folder, 'judged');
    await writeDataset(out, { ...loadCountries(), rejected: Int32Array.of(0, 0, 1, 0, 0, 2) });
    expect((await runFuzzqe('data', 'show', out)).out).toContain('\nrejected links: 2\n');
    expect(JSON.parse((await runFuzzqe('data', 'show', out, '--json')).out).rejected).toBe(2);
    await rm(out, { recursive: true });
    await writeDataset(out, loadCountries());
    expect((await runFuzzqe('data', 'show', out)).out).not.toContain('rejected');
    await rm(out, { recursive: true });
  });

  it('has names that people use, of which search finds countries', async () => {
    const out = join(folder, 'named');
    await runFuzzqe('data', 'countries', '--out', out);
    for (const [text, label] of [
      ['UK', 'United Kingdom'],
      ['Holland', 'Netherlands'],
      ['swiss confederation', 'Switzerland'],
    ] as const) {
      const found = await runFuzzqe('names', out, text, '--json', '--limit', '1');
      expect(JSON.parse(found.out).results[0]).toMatchObject({ label });
    }
    const one = await runFuzzqe('names', out, 'Nederland');
    expect(one.out).toContain('alias: Holland');
  });

  it('refuses a folder with another split, with other names or with anything else', async () => {
    const out = join(folder, 'other');
    await runFuzzqe('data', 'countries', '--out', out);
    const refused = {
      code: 2,
      notes: expect.stringContaining('folder: expected one that does not exist yet, got one that does'),
    };
    expect(await runFuzzqe('data', 'countries', '--out', out, '--seed', '1')).toMatchObject(refused);
    const names = join(out, 'entities.tsv');
    await writeFile(names, (await readFile(names, 'utf8')).replace('\tFrance', '\tFrancia'));
    expect(await runFuzzqe('data', 'countries', '--out', out)).toMatchObject(refused);
    expect(await readFile(names, 'utf8')).toContain('Francia');
    expect(await runFuzzqe('data', 'countries', '--out', folder)).toMatchObject(refused);
    expect((await readdir(folder)).toSorted()).toEqual(['again', 'named', 'other']);
  });
});
