import {
  appendFile,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FuzzError } from '@fuzzqe/core';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FactStore, type NewFactBatch, openFactLog } from '../index.ts';
import { batchesOf } from '../testing/index.ts';
import { encodeLine } from './fact-line.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fuzzqe-facts-damage-'));
});
afterEach(() => rm(folder, { recursive: true }));

const at = '2026-11-28T12:00:00Z';
const batch = (tail: string): NewFactBatch => ({
  at,
  changes: [{ does: 'add', head: 'h', relation: 'r', tail }],
});
const tails = ['a', 'b', 'c', 'd', 'e', 'f'];

/** Writes one batch for each tail, three to a file, and gives the paths of the files. */
async function written(compacts = false): Promise<string[]> {
  const store = await openFactLog(folder, { segmentBytes: 350 });
  for (const tail of tails) {
    await store.append(batch(tail));
    if (compacts && tail === 'c') await store.compact();
  }
  await store.close();
  const names = (await readdir(folder)).filter((name) => name.endsWith('.ndjson'));
  return names
    .sort((a, b) => Number(/\d+/.exec(a)) - Number(/\d+/.exec(b)))
    .map((name) => join(folder, name));
}

/** The tails of all batches, and what was told of the cut. */
async function opened(): Promise<{ readonly found: readonly string[]; readonly lines: readonly string[] }> {
  const lines: string[] = [];
  const store = await openFactLog(folder, { log: (line) => lines.push(line) });
  try {
    const found = (await batchesOf(store)).flatMap(({ changes }) => changes.map(({ tail }) => tail));
    return { found, lines };
  } finally {
    await store.close();
  }
}
const refusal = (): Promise<unknown> => opened().catch((cause: unknown) => cause);

describe('a log of facts with a damaged byte', () => {
  it.each([false, true])(
    'is refused with the file and the line, or has lost its last batch and says so (compacted: %s)',
    async (compacts) => {
      const paths = await written(compacts);
      const files = await Promise.all(paths.map((path) => readFile(path)));
      const outcomes = new Set<string>();
      const places = files.flatMap((bytes, file) => Array.from(bytes, (_, offset) => ({ file, offset })));
      const flip = fc.record({ place: fc.constantFrom(...places), bits: fc.integer({ min: 1, max: 255 }) });
      // The last byte of the log.
      const last = { place: places.at(-1)!, bits: 1 };
      await fc.assert(
        fc.asyncProperty(flip, async ({ place: { file, offset }, bits }) => {
          const bytes = Buffer.from(files[file]!);
          bytes[offset]! ^= bits;
          await writeFile(paths[file]!, bytes);
          const result = await refusal();
          if (result instanceof FuzzError) {
            const line = files[file]!.subarray(0, offset).filter((byte) => byte === 10).length + 1;
            expect(result.code).toBe('data');
            expect(result.path).toBe(`${paths[file]}:${line}`);
            outcomes.add('refused');
          } else {
            expect(result).toEqual({
              found: tails.slice(0, -1),
              lines: [expect.stringContaining(`${paths.at(-1)}:`)],
            });
            // Only the last line of the last file.
            const end = files.at(-1)!.subarray(0, -1).lastIndexOf(10);
            expect([file, offset > end]).toEqual([files.length - 1, true]);
            outcomes.add('cut');
          }
          for (const [i, path] of paths.entries()) await writeFile(path, files[i]!);
        }),
        { numRuns: 150, examples: [[last]] },
      );
      expect(outcomes).toEqual(new Set(['refused', 'cut']));
      expect(await opened()).toEqual({ found: tails, lines: [] });
    },
  );

  it('is cut back to the last flush where the batches of one flush came to the disk in another order', async () => {
    const store = await openFactLog(folder);
    await store.append(batch('a'));
    await Promise.all(tails.slice(1).map((tail) => store.append(batch(tail))));
    await store.close();
    const path = join(folder, 'log-000001.ndjson');
    const bytes = await readFile(path);
    // In the third line; the lines behind it are whole.
    const third = bytes.indexOf('"tail":"c"');
    await writeFile(
      path,
      Buffer.concat([bytes.subarray(0, third), Buffer.alloc(8), bytes.subarray(third + 8)]),
    );
    expect(await opened()).toEqual({
      found: ['a', 'b'],
      lines: [expect.stringMatching(/:3: cut off \d+ bytes/)],
    });
    // A later flush says that the lines were durable.
    await writeFile(path, bytes);
    const again = await openFactLog(folder);
    await again.append(batch('g'));
    await again.close();
    const longer = await readFile(path);
    longer[third] = 0;
    await writeFile(path, longer);
    expect(await refusal()).toMatchObject({ code: 'data', path: `${path}:3` });
  });

  it('is refused by a reader that finds it after the store was opened', async () => {
    await written();
    const store = await openFactLog(folder);
    const [path] = (await readdir(folder)).filter((name) => name.startsWith('log-')).sort();
    const bytes = await readFile(join(folder, path!));
    bytes[20]! ^= 1;
    await writeFile(join(folder, path!), bytes);
    await expect(batchesOf(store)).rejects.toMatchObject({ code: 'data', path: `${join(folder, path!)}:1` });
    await truncate(join(folder, path!), 30);
    await expect(batchesOf(store)).rejects.toMatchObject({ code: 'data', path: `${join(folder, path!)}:1` });
    await rm(join(folder, path!));
    await expect(batchesOf(store)).rejects.toMatchObject({ code: 'data', path: join(folder, path!) });
    await store.close();
  });
});

/** What is in the way, and the error with the file that it is about. */
const obstacles: readonly (readonly [string, (paths: readonly string[]) => Promise<unknown>, RegExp])[] = [
  ['a missing file in the middle', ([, second]) => rm(second!), /epoch: expected 4, got 7/],
  ['a missing first file', ([first]) => rm(first!), /epoch: expected 1, got 4/],
  ['a file cut off in the middle', ([first]) => truncate(first!, 100), /a line that does not end/],
  [
    'a file cut off at the end of a line',
    async ([first]) => truncate(first!, (await readFile(first!)).indexOf(10) + 1),
    /epoch: expected 2, got 4/,
  ],
  [
    'a line that stands twice',
    async ([first]) =>
      appendFile(first!, (await readFile(first!)).subarray(0, (await readFile(first!)).indexOf(10) + 1)),
    /epoch: expected 4, got 1/,
  ],
  [
    'a file that is a link',
    async ([first]) => {
      await rename(first!, `${first}.moved`);
      await symlink(`${first}.moved`, first!);
    },
    /expected a regular file, got a link/,
  ],
  ['no store.json', () => rm(join(folder, 'store.json')), /expected store.json/],
  [
    'a newer format',
    () => writeFile(join(folder, 'store.json'), '{"format":2,"id":"x"}'),
    /expected format 1, got 2/,
  ],
  ['another store.json', () => writeFile(join(folder, 'store.json'), '{"format":1}'), /\$.id/],
];

describe('a log of facts', () => {
  beforeEach(() => {
    tails.push('g');
  });
  afterEach(() => {
    tails.pop();
  });

  it.each(obstacles)('is refused with %s', async (_, make, message) => {
    const paths = await written();
    expect(paths.length).toBe(3);
    await make(paths);
    const found = await refusal();
    expect(found).toMatchObject({
      code: 'data',
      message: expect.stringMatching(message),
      path: expect.any(String),
    });
    expect(found).toMatchObject({ hint: expect.stringMatching(/./) });
    expect((found as FuzzError).path).toContain(folder);
  });

  it.each([
    [
      'an unknown field of a batch',
      (json: string) => json.replace('"at"', '"on":1,"at"'),
      /\$\.on: expected no such key/,
    ],
    ['an unknown field of a change', (json: string) => json.replace('"head"', '"is":1,"head"'), /is/],
    [
      'an empty key',
      (json: string) => json.replace('"h"', '""'),
      /\$\.head: expected a text, got an empty one/,
    ],
    [
      'names that say nothing',
      (json: string) => json.replace('"changes"', '"names":[{"key":"h"}],"changes"'),
      /\$\.names\[0\]: expected a label, aliases or attributes, got none/,
    ],
    [
      'neither changes nor names',
      (json: string) => json.replace(/"changes":\[.*\]/, '"changes":[]'),
      /\$\.changes: expected a change, or names with it, got none/,
    ],
    ['text that is not JSON', (json: string) => json.slice(1), /not JSON/],
    [
      'spaces between fields',
      (json: string) => json.replace(',"changes":[', ', "changes":['),
      /as this version writes it/,
    ],
  ])('is refused with %s, though the checksum holds', async (_, change, message) => {
    const [first = ''] = await written();
    const [line = '', ...rest] = (await readFile(first, 'utf8')).split('\n');
    const changed = encodeLine([Buffer.from(change(line.slice(9)))]);
    await writeFile(first, `${Buffer.concat(changed)}${rest.join('\n')}`);
    expect(await refusal()).toMatchObject({
      code: 'data',
      path: `${first}:1`,
      message: expect.stringMatching(message),
    });
  });

  it('is written by one process at a time, and can be opened again after a refusal', async () => {
    await written();
    const store: FactStore = await openFactLog(folder);
    await expect(openFactLog(folder)).rejects.toMatchObject({ code: 'runtime', path: folder });
    await store.close();
    const [lock] = (await readdir(folder)).filter((name) => name.startsWith('lock'));
    expect(lock).toBe(undefined);
    expect((await opened()).found).toEqual(tails);
  });

  it('removes what a compaction left that was killed', async () => {
    const paths = await written(true);
    const [net = '', later = ''] = paths;
    expect([/net-\d+/.test(net), /log-\d+/.test(later)]).toEqual([true, true]);
    await writeFile(join(folder, 'log-000001.ndjson'), 'replaced, and not removed yet');
    await writeFile(`${net}.tmp-7-1`, 'unfinished');
    expect((await opened()).found).toEqual(tails);
    expect((await readdir(folder)).filter((name) => /tmp|log-000001/.test(name))).toEqual([]);
  });

  it('keeps batches that come during compaction', async () => {
    const store = await openFactLog(folder, { segmentBytes: 350 });
    const given = Array.from({ length: 200 }, (_, i) => `t${i}`);
    const appended = given.map((tail) => store.append(batch(tail)));
    await Promise.all([store.compact(), appended[0]]);
    const compactions = given.map(async (tail, i) => {
      if (i % 50 === 0) await store.compact();
      await store.append(batch(`${tail}-later`));
    });
    await Promise.all([...appended, ...compactions]);
    const { epoch } = store;
    await store.close();
    const { found } = await opened();
    expect(epoch).toBe(400);
    expect([...found].sort()).toEqual([...given, ...given.map((tail) => `${tail}-later`)].sort());
  });
});
