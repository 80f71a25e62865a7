import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importDataset } from '../import/import-dataset.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fuzzqe-reading-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** 150 000 facts, about 3 MB: more than two blocks. */
const facts = Array.from({ length: 150_000 }, (_, i) => `entity ${i}\tr\tentity ${i + 1}\n`).join('');

async function reported(name: string, bytes: Buffer): Promise<[done: number, total: number][]> {
  const path = join(folder, name);
  await writeFile(path, bytes);
  const seen: [number, number][] = [];
  await importDataset({
    name: 'counted',
    train: path,
    onProgress: (done, total) => seen.push([done, total]),
  });
  return seen;
}

describe('the progress of an import', () => {
  it.each([
    ['facts.tsv', Buffer.from(facts)],
    ['facts.tsv.gz', gzipSync(facts)],
  ])('goes from nothing to the whole of %s, never back', async (name, bytes) => {
    const seen = await reported(name, bytes);
    expect(seen[0]).toEqual([0, bytes.length]);
    expect(seen.at(-1)).toEqual([bytes.length, bytes.length]);
    expect(seen.length).toBeGreaterThan(2);
    seen.forEach(([done], i) => {
      expect(done).toBeGreaterThanOrEqual(seen[Math.max(0, i - 1)]![0]);
    });
  });

  it('counts every file', async () => {
    const paths = ['a.tsv', 'b.tsv', 'c.tsv'].map((name) => join(folder, name));
    await Promise.all(paths.map((path) => writeFile(path, 'x\tr\ty\ny\tr\tz\n')));
    const [train, valid, test] = paths as [string, string, string];
    let last: readonly number[] = [];
    const onProgress = (...now: number[]): void => {
      last = now;
    };
    await importDataset({ name: 'three', train, valid, test, onProgress });
    expect(last).toEqual([36, 36]);
  });
});
