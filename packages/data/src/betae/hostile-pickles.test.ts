import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importBetaE } from '../index.ts';
import { betaEFiles } from '../testing/betae-files.ts';

let root = '';
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'fuzzqe-pickles-'));
});
afterAll(() => rm(root, { recursive: true }));

/** Imports the sample with one file replaced. */
async function importing(name: string, content: Buffer | string): Promise<unknown> {
  const folder = await mkdtemp(join(root, 'x-'));
  for (const [file, bytes] of [...betaEFiles(), [name, content] as const])
    await writeFile(join(folder, file), bytes);
  return importBetaE({ name: 'x', folder });
}

const bytes = (text: string): Buffer => Buffer.concat([Buffer.from([0x80, 4]), Buffer.from(text, 'latin1')]);
/** A dict whose one key is made by these opcodes, with an empty set as its value. */
const keyed = (key: string): Buffer => bytes(`}(${key}\x8fu.`);
const doubled = `K\x00${'2\x86'.repeat(60)}`;
const deep = `K\x00${'\x85'.repeat(100_000)}`;
const cyclic = ']\x94h\x00a';

describe('a pickle that no query is in', () => {
  // The first aborted the process, the second overflowed the stack, the third never ended.
  const keys = { 'one tuple in 2^60 places': doubled, '100 000 levels': deep, 'a list in itself': cyclic };
  for (const [what, key] of Object.entries(keys))
    it.each(['train-answers.pkl', 'train-queries.pkl'])(
      `of ${what} as a key of %s is refused at once`,
      async (name) => {
        const start = process.cpuUsage();
        await expect(importing(name, keyed(key))).rejects.toMatchObject({
          code: 'data',
          path: expect.stringContaining(name),
          message: expect.stringContaining('pickle: expected queries: numbers and texts in tuples'),
        });
        // Of the processor, in microseconds: a busy machine is no failure.
        expect(process.cpuUsage(start).user).toBeLessThan(10_000_000);
      },
    );

  it('as a member of a set of queries is refused, too', async () => {
    const shape = '(\x8c\x01e\x8c\x01r\x85t';
    for (const query of [doubled, deep, cyclic])
      await expect(
        importing('train-queries.pkl', bytes(`}(${shape}\x8f(${query}\x90u.`)),
      ).rejects.toMatchObject({
        message: expect.stringContaining('numbers and texts in tuples'),
      });
  });

  it('as names is refused, too', async () => {
    for (const name of [doubled, deep, cyclic])
      await expect(importing('id2ent.pkl', bytes(`}(K\x00${name}u.`))).rejects.toMatchObject({
        message: expect.stringMatching(/^pickle: expected names as strings, got a tuple or list of [12]$/),
      });
  });

  it('has no more answers than its bytes could spell: one set may not stand for many', async () => {
    const set = `\x8f(${'K\x01'.repeat(20_000)}\x90\x94`;
    const keys = Array.from({ length: 20_000 }, (_, i) => {
      const id = Buffer.from(Uint16Array.of(i).buffer).toString('latin1');
      return `M${id}\x85h\x00`;
    });
    await expect(importing('train-answers.pkl', bytes(`${set}0}(${keys.join('')}u.`))).rejects.toMatchObject({
      message: expect.stringContaining('answers in a file of as many bytes'),
    });
  });

  it('names no structure twice', async () => {
    const entry = '(\x8c\x01e\x8c\x01r\x85t\x8f(K\x00K\x00\x85\x86\x90';
    await expect(importing('train-queries.pkl', bytes(`}(${entry}${entry}u.`))).rejects.toMatchObject({
      message: expect.stringContaining('queries of structure 1p once'),
    });
  });
});

it('counts beyond what facts can name are refused before anything is made for them', async () => {
  for (const stats of [
    'numentity: 1000000000000\nnumrelations: 4\n',
    'numentity: 4\nnumrelations: 99999999\n',
  ])
    await expect(importing('stats.txt', stats)).rejects.toMatchObject({
      code: 'data',
      path: expect.stringMatching(/stats\.txt:[12]$/),
      message: expect.stringContaining('expected at most as many as facts can name'),
    });
});

it('counts by the name of a prototype are none', async () => {
  await expect(importing('stats.txt', '__proto__: 4\nconstructor: 4\n')).rejects.toThrow(
    'expected numentity and numrelations, got less',
  );
});
