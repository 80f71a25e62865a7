import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openQueries, ownSetName, readDataset } from '@fuzzqe/data';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runFuzzqe as fuzzqe } from '../../testing/run-fuzzqe.ts';

describe('sampling into a folder that has queries', () => {
  let folder: string;
  const at = (...parts: readonly string[]): string => join(folder, ...parts);
  const sample = (...flags: readonly string[]): ReturnType<typeof fuzzqe> =>
    fuzzqe('data', 'sample', at('data'), '--workers', '0', ...flags);
  const read = (part: string): Promise<string> => readFile(at('data', 'queries', `${part}.jsonl`), 'utf8');
  /** A published set, as `data import` leaves it: validation queries alone. */
  const published = '{"type":"1p","query":[0,[0]],"easy":[],"hard":[1]}\n';

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fuzzqe-sample-'));
    expect((await fuzzqe('data', 'countries', '--out', at('data'))).code).toBe(0);
    expect((await sample('--train', '5', '--valid', '1', '--test', '0')).code).toBe(0);
    await rm(at('data', 'queries', 'train.jsonl'));
    await writeFile(at('data', 'queries', 'valid.jsonl'), published);
  }, 120_000);
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('writes no file of a part of which no queries were asked for', async () => {
    await expect(read('test')).rejects.toThrow(/ENOENT/);
  });

  it('refuses to replace what is there, before it samples anything', async () => {
    const { code, notes } = await sample('--valid', '2');
    expect(code).not.toBe(0);
    expect(notes).toContain('valid.jsonl: the data set has valid queries already');
    expect(notes).toContain('--valid 0');
    expect(notes).toContain('--replace');
    expect(await read('valid')).toBe(published);
    await expect(read('train')).rejects.toThrow(/ENOENT/);
  });

  it('refuses a folder that it cannot write to, before it samples anything', async () => {
    await cp(at('data'), at('locked'), { recursive: true });
    await rm(at('locked', 'queries'), { recursive: true });
    await writeFile(at('locked', 'queries'), 'a file');
    const { code, notes } = await fuzzqe('data', 'sample', at('locked'), '--workers', '0', '--train', '5');
    expect(code).toBe(9);
    expect(notes).toContain(at('locked', 'queries'));
    expect(notes).not.toContain('Sampled');
  });

  it('samples what is missing, keeps what is there and says so', async () => {
    const { code, notes } = await sample('--train', '5', '--test', '1');
    expect(code).toBe(0);
    expect(notes).toContain('The valid queries stay as they are');
    expect(await read('valid')).toBe(published);
    expect((await read('train')).split('\n').length).toBeGreaterThan(40);
    expect((await read('test')).split('\n').length).toBeGreaterThan(12);
  }, 60_000);

  it('calls queries drawn beside rules that are theirs, and not beside those of others', async () => {
    const dataset = await readDataset(at('data'));
    const name = (part: 'valid' | 'test') => ownSetName(at('data'), dataset, part);
    // The rules of the validation queries are of those that were there before.
    expect([await name('test'), await name('valid')]).toEqual(['drawn', undefined]);
    const rules = at('data', 'queries', 'test.rules.json');
    const { sha256, ...before } = JSON.parse(await readFile(rules, 'utf8')) as Record<string, unknown>;
    expect(sha256).toMatch(/^[0-9a-f]{64}$/);
    // Rules of earlier versions have no digest.
    await writeFile(rules, JSON.stringify(before));
    expect(await name('test')).toBe('drawn');
  });

  it('draws patterns instead of queries, the same for the same seed, and replaces them only when it is told to', async () => {
    const queries = await read('test');
    const { code, notes } = await sample('--patterns', '2');
    expect({ code, notes }).toMatchObject({ code: 0, notes: expect.stringContaining('test patterns') });
    expect(await read('test')).toBe(queries);
    const patterns = await read('test.patterns');
    expect(patterns.split('\n').filter((line) => line.includes('"type":"3c"'))).toHaveLength(2);
    const again = await sample('--patterns', '2');
    expect(again).toMatchObject({ code: 2, notes: expect.stringContaining('valid patterns already') });
    expect((await sample('--patterns', '2', '--replace')).code).toBe(0);
    expect(await read('test.patterns')).toBe(patterns);
    expect((await sample('--patterns', '2', '--replace', '--seed', '2')).code).toBe(0);
    expect(await read('test.patterns')).not.toBe(patterns);
    const both = await sample('--patterns', '2', '--test', '5');
    expect(both).toMatchObject({ code: 2, notes: expect.stringContaining('--patterns') });
  }, 60_000);

  it('draws queries balanced over their missing links beside them, which an evaluation asks for by name', async () => {
    const queries = await read('test');
    const { code, notes } = await sample('--balanced', '6');
    expect({ code, notes }).toMatchObject({
      code: 0,
      notes: expect.stringContaining('test balanced queries'),
    });
    expect(notes).toContain(`fuzzqe evaluate … --data ${at('data')} --queries balanced`);
    expect(await read('test')).toBe(queries);
    const lines = (await read('test.balanced')).trim().split('\n');
    expect(lines.filter((line) => line.includes('"4p = '))).toHaveLength(6);
    const again = await sample('--balanced', '6');
    expect(again).toMatchObject({
      code: 2,
      notes: expect.stringContaining('balanced valid queries already'),
    });
    const dataset = await readDataset(at('data'));
    const file = await openQueries(at('data'), dataset, { queries: 'balanced' });
    expect([file.set, file.queries.length]).toEqual(['balanced', 16]);
    await rm(at('data', 'queries', 'valid.balanced.jsonl'));
    const none = openQueries(at('data'), dataset, { queries: 'balanced', part: 'valid' });
    await expect(none).rejects.toThrow('no balanced valid queries yet');
    const hintOf = (queries: string) =>
      openQueries(at('data'), dataset, { queries }).then(undefined, ({ hint }) => hint);
    expect(await hintOf('balnced')).toBe('did you mean "balanced"?');
    expect(await hintOf('pattern')).toBe('did you mean "patterns"?');
    expect(await hintOf('q2b')).toContain('It has no imported set. Import one');
  }, 60_000);

  it('draws unselected queries, many without a hard answer, which an evaluation asks for by name', async () => {
    const { code, notes } = await sample('--unselected', '6');
    expect({ code, notes }).toMatchObject({
      code: 0,
      notes: expect.stringContaining('test unselected queries'),
    });
    expect(notes).toContain(' --queries unselected');
    const dataset = await readDataset(at('data'));
    const file = await openQueries(at('data'), dataset, { queries: 'unselected', part: 'valid' });
    expect([file.set, file.queries.length]).toEqual(['unselected', 14]);
    const lines = (await read('valid.unselected')).trim().split('\n');
    expect(lines.filter((line) => line.includes('"hard":[]')).length).toBeGreaterThan(10);
    const both = await sample('--unselected', '6', '--balanced', '6');
    expect(both).toMatchObject({ code: 2, notes: expect.stringContaining('--unselected') });
  }, 60_000);

  it('has nothing to do where all is there', async () => {
    const { code, notes } = await sample();
    expect(code).not.toBe(0);
    expect(notes).toContain('there is nothing to sample');
  });

  it('refuses own structures where neither validation nor test queries are sampled', async () => {
    const { code, notes } = await sample(
      '--train',
      '5',
      '--replace',
      '--valid',
      '0',
      '--test',
      '0',
      '--structure',
      'far = project(?r, ?a)',
    );
    expect(code).not.toBe(0);
    expect(notes).toContain('structures of your own are drawn as validation and test queries only');
  });

  it('replaces them where it is told to', async () => {
    expect((await sample('--train', '0', '--valid', '1', '--test', '0', '--replace')).code).toBe(0);
    expect(await read('valid')).not.toBe(published);
  }, 60_000);

  it('keeps the queries of one of two commands that draw at once, and refuses the other', async () => {
    await rm(at('data', 'queries', 'test.jsonl'));
    const draw = (seed: string) => sample('--train', '0', '--valid', '0', '--test', '1', '--seed', seed);
    const both = await Promise.all([draw('5'), draw('6')]);
    expect(both.map(({ code }) => code).toSorted()).toEqual([0, 2]);
    expect(both.find(({ code }) => code === 2)!.notes).toContain('the data set has test queries already');
    const { seed } = JSON.parse(await readFile(at('data', 'queries', 'test.rules.json'), 'utf8'));
    expect(seed).toBe(both[0].code === 0 ? 5 : 6);
  }, 60_000);

  it('draws own structures, which count among the queries that a data set has', async () => {
    const own = ['--structure', 'far = project(?r2, project(?r1, ?a1))'];
    expect((await sample('--train', '0', '--valid', '1', '--test', '0', '--replace', ...own)).code).toBe(0);
    const lines = (await read('valid')).trim().split('\n');
    expect(lines.some((line) => line.includes('"far = '))).toBe(true);
    const { out } = await fuzzqe('data', 'show', at('data'), '--json');
    expect(JSON.parse(out).queries.valid).toBe(lines.length);
  }, 60_000);
});
