import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { createVocabulary } from '@fuzzqe/names';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createDataset,
  type ImportQuerySetOptions,
  importQuerySet,
  listQuerySets,
  openQueries,
  queryFileOf,
  queryRow,
  writeDataset,
} from '../index.ts';

// 0 -r-> 1, 2 are known; 0 -r-> 3 is held out for validation, 0 -r-> 4 for the test; 1, 3 -s-> 5.
const names = (count: number, kind: string) =>
  Array.from({ length: count }, (_, i) => ({ key: `${kind}${i}`, label: `${kind} ${i}` }));
const facts = {
  train: Int32Array.of(0, 0, 1, 0, 0, 2, 1, 2, 5, 3, 2, 5),
  valid: Int32Array.of(0, 0, 3),
  test: Int32Array.of(0, 0, 4),
};
const vocabulary = createVocabulary({ entities: names(6, 'e'), relations: names(2, 'r') });
const about = { name: 'small', licence: 'CC0-1.0', description: '', vocabulary };
const dataset = createDataset({ ...about, ...facts });

let root = '';
let folder = '';
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'fuzzqe-query-sets-'));
  folder = join(root, 'data');
  await writeDataset(folder, dataset);
});
afterAll(() => rm(root, { recursive: true }));

async function importing(lines: readonly object[], more: Partial<ImportQuerySetOptions> = {}) {
  const file = join(root, 'queries.jsonl');
  await writeFile(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  return importQuerySet({ folder, dataset, file, name: 'mine', part: 'valid', replace: true, ...more });
}

const ofTails = { type: '1p', query: [0, [0]], hard: [3] };
const ofHeads = { type: '1p', query: [3, [1]], hard: [0] };

describe('a set of queries of a name of its own', () => {
  it('is kept beside those of the data set, with what is known of it, and computes easy answers', async () => {
    const file = join(root, 'official.jsonl.gz');
    const pi = {
      type: 'pi',
      query: [
        [0, [0, 2]],
        [1, [2]],
      ],
      hard: [],
    };
    await writeFile(
      file,
      gzipSync(`${JSON.stringify(ofTails)}\n\n${JSON.stringify({ ...ofHeads, easy: [] })}\n`),
    );
    const imported = await importQuerySet({
      ...{ folder, dataset, file, part: 'valid', name: 'q2b', licence: 'MIT', source: 'a paper' },
    });
    expect(imported).toMatchObject({ incomplete: 0, checked: true });
    expect(await listQuerySets(folder)).toEqual([imported.record]);
    expect(imported.record).toMatchObject({
      ...{ name: 'q2b', part: 'valid', licence: 'MIT', source: 'a paper', structures: { '1p': 2 } },
      imported: { file: 'official.jsonl.gz' },
    });
    const read = await openQueries(folder, dataset, { queries: 'q2b' });
    expect(read).toMatchObject({ set: 'q2b', part: 'valid', sha256: imported.record.sha256 });
    expect(queryRow(read.queries[0]!, 0)).toMatchObject({
      easy: Int32Array.of(1, 2),
      hard: Int32Array.of(3),
    });
    // Nothing of it is among the data set's own.
    await expect(readFile(queryFileOf(folder, 'valid'))).rejects.toThrow('ENOENT');
    await expect(openQueries(folder, dataset, { part: 'valid' })).rejects.toThrow('no valid queries yet');
    await expect(importing([pi])).rejects.toThrow('hard: expected at least one answer');
  });

  it('of the test counts validation facts among the known ones', async () => {
    await importing([{ ...ofTails, easy: [1, 2, 3], hard: [4] }], { part: 'test', name: 'tested' });
    const { queries, part } = await openQueries(folder, dataset, { queries: 'tested' });
    expect(part).toBe('test');
    expect(queryRow(queries[0]!, 0).easy).toEqual(Int32Array.of(1, 2, 3));
  });

  it.each([
    [
      'easy answers of another graph',
      { ...ofTails, easy: [1, 2, 5] },
      /easy: expected the exact answers on the training facts, got entity 5/,
    ],
    ['an easy answer too few', { ...ofTails, easy: [1] }, /easy: .* got none for entity 2/],
    [
      'a hard answer that is easy',
      { ...ofTails, hard: [2, 3] },
      /hard: expected answers that are not easy, got entity 2/,
    ],
    [
      'a hard answer that the graph lacks',
      { ...ofTails, hard: [3, 5] },
      /hard: expected answers that training and validation facts give, got entity 5/,
    ],
    ['a hard answer of the test', { ...ofTails, hard: [4] }, /got entity 4/],
    ['a query of another type', { ...ofTails, type: '2p' }, /expected one of structure 2p/],
    ['an entity beyond the graph', { ...ofTails, query: [6, [0]] }, /6/],
  ])('refuses %s, with its line', async (_, line, message) => {
    const refused = importing([ofTails, line], { name: 'refused' });
    await expect(refused).rejects.toThrow(message);
    await expect(refused).rejects.toMatchObject({
      code: 'data',
      path: expect.stringMatching(/queries\.jsonl:2$/),
    });
    expect((await listQuerySets(folder)).map(({ name }) => name)).not.toContain('refused');
  });

  it('says how many queries lack a hard answer, and what could not be checked', async () => {
    const more = createDataset({ ...about, ...facts, valid: Int32Array.of(0, 0, 3, 0, 0, 5) });
    expect(await importing([ofTails, ofHeads], { dataset: more })).toMatchObject({ incomplete: 1 });
    expect(await importing([ofTails, ofHeads])).toMatchObject({ incomplete: 0 });
    const untested = createDataset({ ...about, ...facts, test: new Int32Array(0) });
    const foreign = { ...ofTails, hard: [5] };
    expect(await importing([foreign], { dataset: untested, part: 'test' })).toMatchObject({ checked: false });
  });

  it('needs a name that is free', async () => {
    await importing([ofTails], { name: 'taken' });
    await expect(importing([ofHeads], { name: 'taken', replace: false })).rejects.toThrow(
      'has a set of queries taken',
    );
    expect((await importing([ofHeads, ofTails], { name: 'taken' })).record.structures).toEqual({ '1p': 2 });
    for (const name of ['valid', 'drawn', 'a/b', 'Q2B', ''])
      await expect(importing([ofTails], { name })).rejects.toMatchObject({ code: 'usage' });
  });
});

describe('the queries to evaluate on', () => {
  it('are those of a file where no set has that name', async () => {
    await importing([ofTails]);
    const path = join(root, 'queries.jsonl');
    const file = await openQueries(folder, dataset, { queries: path, part: 'valid' });
    expect(file).toMatchObject({ path, part: 'valid' });
    expect(file.set).toBeUndefined();
    // The validation facts that they ask for are recorded where the test is answered.
    const known = [{ ...ofTails, easy: [1, 2] }];
    await writeFile(path, known.map((line) => JSON.stringify(line)).join('\n'));
    expect(await openQueries(folder, dataset, { queries: path, part: 'valid' })).toMatchObject({
      part: 'valid',
    });
    await expect(openQueries(folder, dataset, { queries: path })).rejects.toMatchObject({
      code: 'data',
      path: `${path}:1`,
      hint: expect.stringContaining('--split'),
    });
  });

  it('are refused by a name that is none, of another part, or where the file was changed', async () => {
    await importing([ofTails], { name: 'changed' });
    await expect(openQueries(folder, dataset, { queries: 'chnged' })).rejects.toMatchObject({
      code: 'usage',
      hint: expect.stringContaining('changed'),
    });
    await expect(openQueries(folder, dataset, { queries: 'changed', part: 'test' })).rejects.toThrow(
      'has valid queries, and test ones were asked for',
    );
    await writeFile(join(folder, 'query-sets', 'changed.jsonl'), `${JSON.stringify(ofHeads)}\n`);
    await expect(openQueries(folder, dataset, { queries: 'changed' })).rejects.toThrow('expected the hash');
    await writeFile(join(folder, 'query-sets', 'changed.json'), '{}');
    await expect(listQuerySets(folder)).rejects.toThrow('expected the record of the query set changed');
  });
});
