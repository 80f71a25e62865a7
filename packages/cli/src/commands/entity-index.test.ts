import { rm } from 'node:fs/promises';
import { type TinyBundle, tinyBundle } from '@fuzzqe/parity/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runFuzzqe as fuzzqe } from '../testing/run-fuzzqe.ts';

let bundle: TinyBundle;
beforeAll(async () => {
  bundle = await tinyBundle();
});
afterAll(() => rm(bundle.directory, { recursive: true, force: true }));

describe('fuzzqe index', () => {
  it.each([
    [['push', 'BUNDLE'], /--to <url>/],
    [['push', 'BUNDLE', '--to', 'mysql://u:hidden@h/d'], /--to: address of an index: .*the scheme mysql/],
    [['push', 'BUNDLE', '--to', 'postgres://u:hidden@h/d', '--batch', '0'], /--batch/],
    [['push', 'BUNDLE', '--to', 'postgres://u:hidden@h/d', '--batch', '10001'], /--batch/],
    [['push', 'BUNDLE', '--to', 'postgres://u:hidden@h/d?effort=0'], /effort: expected an integer/],
    [['recall', 'BUNDLE'], /--index <url>/],
    [
      ['recall', 'BUNDLE', '--index', 'milvus://u:hidden@h?method=quick'],
      /--index: .*method: expected approximate/,
    ],
    [['recall', 'BUNDLE', '--index', 'lancedb:x', '--structures', '1p,9z'], /9z/],
    [['recall', 'BUNDLE', '--index', 'lancedb:x', '--queries', 'many'], /--queries/],
    [['recall', 'BUNDLE', '--index', 'lancedb:x', '-k', '1001'], /-k/],
  ])('ends with 2 where an option is none, and shows no password: %j', async (given, said) => {
    const flags = given.map((flag) => (flag === 'BUNDLE' ? bundle.directory : flag));
    const { code, notes, out } = await fuzzqe('index', ...flags);
    expect(code, notes).toBe(2);
    expect(notes).toMatch(said);
    expect(`${notes}${out}`).not.toContain('hidden');
  });

  it('refuses to compare more answers than there are entities', async () => {
    const flags = ['--index', 'lancedb:x', '-k', '1000'];
    expect(await fuzzqe('index', 'recall', bundle.directory, ...flags)).toMatchObject({
      notes: expect.stringMatching(/expected at most \d+ entities, got 1000/),
    });
  });
});
