import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { importPath, peekPath } from '../index.ts';
import { packedTexts } from '../testing/packed-files.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fuzzqe-parquet-'));
});
afterAll(() => rm(folder, { recursive: true }));
afterEach(() => {
  vi.unstubAllEnvs();
});

type Columns = Parameters<typeof parquetWriteBuffer>[0]['columnData'];
type Options = Omit<Parameters<typeof parquetWriteBuffer>[0], 'columnData'>;

async function file(name: string, columnData: Columns, options: Options = {}): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, new Uint8Array(parquetWriteBuffer({ columnData, ...options })));
  return path;
}

const places = ['ann', 'bob', 'cid', 'dan'];
const triples: Columns = [
  { name: 'subject', data: places, type: 'STRING' },
  { name: 'since', data: [1990, 1991, 1992, 1993], type: 'INT32' },
  { name: 'predicate', data: places.map(() => 'knows'), type: 'STRING' },
  { name: 'object', data: ['bob', 'cid', 'dan', 'tab\there'], type: 'STRING' },
];
const facts = [
  ['ann', 'knows', 'bob'],
  ['bob', 'knows', 'cid'],
  ['cid', 'knows', 'dan'],
  ['dan', 'knows', 'tab\there'],
];
/** A frame of one block that is kept as it is, since Node 20 does not write Zstandard. Source: RFC 8878, 3.1.1. */
function storedInZstandard(bytes: Uint8Array): Uint8Array {
  const header = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0xa0, 0, 0, 0, 0, 0, 0, 0]);
  header.writeUInt32LE(bytes.length, 5);
  header.writeUIntLE(1 + 8 * bytes.length, 9, 3);
  return Buffer.concat([header, bytes]);
}

const codecs = {
  UNCOMPRESSED: {},
  SNAPPY: {},
  GZIP: { compressors: { GZIP: (bytes: Uint8Array) => gzipSync(bytes) } },
  BROTLI: { compressors: { BROTLI: (bytes: Uint8Array) => brotliCompressSync(bytes) } },
  ZSTD: { compressors: { ZSTD: storedInZstandard } },
} as const;

describe('a Parquet file', () => {
  it.each(Object.entries(codecs))('is read by its titles, group by group: %s', async (codec, more) => {
    const path = await file(`${codec}.parquet`, triples, {
      ...{ codec: codec as keyof typeof codecs, rowGroupSize: 3 },
      ...more,
    });
    const [peeked] = await peekPath(path);
    expect(peeked).toMatchObject({ format: 'parquet', facts: 4, first: facts });
    expect(peeked?.notes).toEqual([
      `${path}: took line 1 for titles: subject, since, predicate, object; head is subject, relation predicate, tail object; not read: since; 4 facts`,
    ]);
    const { dataset } = await importPath(path, { name: 'x', holdOut: 0 });
    expect(dataset.train.length / 3).toBe(4);
    expect(dataset.origin?.format).toBe('parquet');
  });

  it('is read by --columns and --table', async () => {
    const ratings = await file('ratings.parquet', [
      { name: 'user', data: ['u1', 'u2'], type: 'STRING' },
      { name: 'film', data: ['Alien', 'Heat'], type: 'STRING' },
      { name: 'stars', data: [5n, null], type: 'INT64', nullable: true },
      { name: 'seen', data: [new Date('2020-01-02'), new Date('2020-01-02T03:04:05Z')], type: 'TIMESTAMP' },
    ]);
    const first = async (options: object): Promise<unknown> => (await peekPath(ratings, options))[0]?.first;
    expect(await first({ columns: 'head=user,relation=stars,tail=film', skipBad: true })).toEqual([
      ['u1', '5', 'Alien'],
    ]);
    expect(await first({ columns: 'head=1,relation="saw",tail=4' })).toEqual([
      ['u1', 'saw', '2020-01-02'],
      ['u2', 'saw', '2020-01-02T03:04:05.000Z'],
    ]);
    const [wide] = await peekPath(ratings, { table: 'user' });
    expect(wide?.first).toEqual([
      ['u1', 'film', 'Alien'],
      ['u2', 'film', 'Heat'],
    ]);
    expect(wide?.attributes).toBe(3);
    await expect(peekPath(ratings)).rejects.toMatchObject({
      code: 'usage',
      hint: expect.stringContaining('--columns'),
    });
  });

  it('tells the row of an empty name', async () => {
    const path = await file('empty.parquet', [
      { name: 'head', data: ['a', 'b', null], type: 'STRING', nullable: true },
      { name: 'relation', data: ['r', 'r', 'r'], type: 'STRING' },
      { name: 'tail', data: ['b', ' ', 'c'], type: 'STRING' },
    ]);
    await expect(importPath(path, { name: 'x' })).rejects.toMatchObject({
      path: `${path}:3`,
      message: expect.stringContaining(
        'in column 3 ("tail", the tail), got an empty cell (the first of 2 bad lines)',
      ),
    });
  });

  it('is refused where it is cut off, damaged, packed once more or of too large groups', async () => {
    const whole = new Uint8Array(parquetWriteBuffer({ columnData: triples }));
    const path = join(folder, 'wrong.parquet');
    for (const length of [4, 100, whole.length - 1]) {
      await writeFile(path, whole.subarray(0, length));
      await expect(importPath(path, { name: 'x' }), `${length} bytes`).rejects.toMatchObject({
        ...{ code: 'data', path },
        message: expect.stringContaining('Parquet: expected a whole Parquet file'),
      });
    }
    await writeFile(`${path}.gz`, gzipSync(whole));
    await expect(importPath(`${path}.gz`, { name: 'x' })).rejects.toThrow('got a compressed one');
    const large = await file('large.parquet', [
      {
        name: 'head',
        data: Array.from({ length: 40_000 }, (_, i) => `${i}`.padStart(40, '0')),
        type: 'STRING',
      },
    ]);
    vi.stubEnv('FUZZQE_MAX_FILE_MIB', '1');
    await expect(importPath(large, { name: 'x' })).rejects.toThrow('row groups of at most 1048576 bytes');
  });

  it('is told where its ending is another, and told from a text that has its ending', async () => {
    const named = await file('named.tsv', triples);
    await expect(importPath(named, { name: 'x' })).rejects.toMatchObject({
      message: 'text: expected UTF-8, got Parquet',
      hint: expect.stringContaining('.parquet'),
    });
    expect((await peekPath(named, { format: 'parquet' }))[0]?.facts).toBe(4);
    const text = join(folder, 'text.parquet');
    await writeFile(text, packedTexts.text);
    await expect(importPath(text, { name: 'x' })).rejects.toThrow('got one that does not begin as such');
  });
});
