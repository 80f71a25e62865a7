import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { unpackFolder } from '../index.ts';
import { writeZip } from '../testing/write-zip.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fuzzqe-unpack-'));
});
afterEach(() => rm(folder, { recursive: true }));

const archive = (): string => join(folder, 'x.zip');
const unpack = async (bytes: Uint8Array): Promise<string[]> => {
  await writeFile(archive(), bytes);
  return unpackFolder(archive(), 'graph', join(folder, 'unpacked'));
};
const files = new Map([
  ['all/graph/train.txt', '17\t4\t23\n'],
  ['all/graph/valid.txt', '17\t4\t24\n'],
  ['all/other/train.txt', 'not read'],
]);

describe('an archive', () => {
  it('gives the files of a folder, stored or compressed', async () => {
    for (const method of ['stored', 'deflated'] as const) {
      expect(await unpack(writeZip(files, method))).toEqual(['train.txt', 'valid.txt']);
      expect(await readFile(join(folder, 'unpacked', 'valid.txt'), 'utf8')).toBe('17\t4\t24\n');
    }
  });

  it('is refused where one digit of a stored file is another', async () => {
    const bytes = writeZip(files, 'stored');
    const at = bytes.indexOf('17\t4\t24');
    bytes[at + 1] = '8'.charCodeAt(0);
    await expect(unpack(bytes)).rejects.toMatchObject({
      code: 'data',
      path: archive(),
      message: expect.stringMatching(/valid\.txt: expected the CRC-32 [0-9a-f]{8}, got [0-9a-f]{8}/),
    });
  });

  it('is refused where a file would grow beyond measure, before any of it is unpacked', async () => {
    const bomb = writeZip(new Map([['graph/train.txt', new Uint8Array(80 * 2 ** 20)]]));
    expect(bomb.length).toBeLessThan(100_000);
    await expect(unpack(bomb)).rejects.toMatchObject({
      code: 'data',
      message: expect.stringMatching(/train\.txt, which would grow from \d+ to 83886080 bytes/),
      hint: expect.stringContaining('FUZZQE_MAX_EXPANSION'),
    });
    expect(await readdir(join(folder, 'unpacked'))).toEqual([]);
  });

  it('is refused where a file is larger than it says', async () => {
    const bytes = writeZip(new Map([['graph/train.txt', 'a'.repeat(1000)]]));
    // The uncompressed size in the central directory, 24 bytes after its signature.
    const directory = bytes.indexOf('PK\x01\x02');
    bytes.writeUInt32LE(10, directory + 24);
    await expect(unpack(bytes)).rejects.toMatchObject({ code: 'data', path: archive() });
  });

  it('is refused where two files of the folder have one name', async () => {
    const twice = new Map([
      ['a/graph/train.txt', 'one'],
      ['b/graph/train.txt', 'other'],
    ]);
    await expect(unpack(writeZip(twice))).rejects.toMatchObject({
      code: 'data',
      message: expect.stringContaining('the name train.txt twice'),
    });
  });
});
