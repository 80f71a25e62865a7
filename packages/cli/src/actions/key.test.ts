import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseAccessKeys } from '@fuzzqe/serve';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runFuzzqe as fuzzqe } from '../testing/run-fuzzqe.ts';

describe('fuzzqe key', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fuzzqe-key-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('adds lines to a file of keys, whose keys are let in, and no name twice', async () => {
    const file = join(folder, 'keys.txt');
    const [ann, bob] = [
      await fuzzqe('key', 'ann', '--file', file),
      await fuzzqe('key', 'bob', '--file', file, '--write'),
    ];
    const text = await readFile(file, 'utf8');
    const keys = parseAccessKeys(text, file);
    expect([ann, bob].map(({ out }) => keys.nameOf(out.trim()))).toEqual(['ann', 'bob']);
    expect(['ann', 'bob'].map(keys.mayWrite)).toEqual([false, true]);
    const again = await fuzzqe('key', 'bob', '--file', file);
    expect(again).toMatchObject({ code: 2, out: '' });
    expect(again.notes).toContain(`${file}:2: expected a new name, got one that has a key already: bob`);
    expect(await readFile(file, 'utf8')).toBe(text);
  });

  it('says what a file is that is none, or holds something else', async () => {
    await mkdir(join(folder, 'folder'));
    const { code, notes } = await fuzzqe('key', 'ann', '--file', join(folder, 'folder'));
    expect({ code, notes }).toMatchObject({ code: 2, notes: expect.stringContaining('got a folder') });
    const other = join(folder, 'other.txt');
    await writeFile(other, 'not a key\n');
    const refused = await fuzzqe('key', 'ann', '--file', other);
    expect(refused.code).not.toBe(0);
    expect(refused.notes).toContain(`${other}:1: expected a name and sha256:`);
    expect(await readFile(other, 'utf8')).toBe('not a key\n');
  });
});
