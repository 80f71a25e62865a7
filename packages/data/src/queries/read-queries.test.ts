import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { createRandom } from '@fuzzqe/core';
import { structureNames } from '@fuzzqe/core/query';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  loadCountries,
  queriesToJsonLines,
  readQueries,
  type SampledQueries,
  sampleQueries,
  structureOf,
} from '../index.ts';

const { trainValid, full } = loadCountries().graphs();
let folder = '';
let path = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fuzzqe-queries-'));
  path = join(folder, 'queries.jsonl');
});
afterAll(() => rm(folder, { recursive: true }));

async function reading(...lines: readonly string[]): Promise<SampledQueries<string>[]> {
  await writeFile(path, lines.map((line) => `${line}\n`).join(''));
  return readQueries(path, { bounds: full });
}

async function sampleAll(): Promise<SampledQueries[]> {
  const all: SampledQueries[] = [];
  for (const structure of structureNames) {
    const random = createRandom('queries', structure);
    all.push(await sampleQueries({ structure, count: 20, smaller: trainValid, larger: full, random }));
  }
  return all;
}

describe('queries as JSON Lines', () => {
  it('come back as they were written, for every structure', async () => {
    const all = await sampleAll();
    await writeFile(path, [...queriesToJsonLines(all)].join(''));
    expect(await readQueries(path, { bounds: full })).toEqual(all);
  });

  it('look as documented', () => {
    const lists = (...ids: number[]) => ({
      offsets: Int32Array.of(0, ids.length),
      ids: Int32Array.from(ids),
    });
    const query: SampledQueries = {
      structure: '2in',
      shape: structureOf('2in'),
      count: 1,
      anchors: Int32Array.of(7, 9),
      relations: Int32Array.of(0, 3),
      easy: lists(1, 2),
      hard: lists(5),
    };
    expect([...queriesToJsonLines([query])]).toEqual([
      '{"type":"2in","query":[[7,[0]],[9,[3,-2]]],"easy":[1,2],"hard":[5]}\n',
    ]);
  });

  it('may leave the easy answers to a graph, be zipped, and name unions as the published sets do', async () => {
    const all = await sampleAll();
    const text = [...queriesToJsonLines(all)]
      .map((line) => line.replace(/"easy":\[[^\]]*\],/, '').replace(/"type":"(2u|up)"/, '"type":"$1-DNF"'))
      .join('');
    await writeFile(`${path}.gz`, gzipSync(text));
    expect(await readQueries(`${path}.gz`, { bounds: full, smaller: trainValid })).toEqual(all);
  });

  it('come gathered by structure, their answers in order', async () => {
    const [first, second] = await reading(
      '{"type":"2p","query":[1,[0,2]],"easy":[],"hard":[4,3]}',
      '{"type":"1p","query":[1,[0]],"easy":[9,8]}',
    );
    expect([first!.structure, second!.structure]).toEqual(['1p', '2p']);
    expect([...first!.easy.ids, ...second!.hard.ids]).toEqual([8, 9, 3, 4]);
  });

  it.each([
    ['no JSON', '{', 'JSON'],
    ['no object', '[1]', 'object'],
    ['a structure that is not known', '{"type":"2ni","query":[1,[0]],"easy":[]}', '2ni'],
    ['no structure', '{"query":[1,[0]],"easy":[]}', 'structure'],
    ['another structure', '{"type":"2i","query":[1,[0]],"easy":[]}', 'of structure 1p'],
    ['none of the structures', '{"type":"1p","query":[1,[0,0,0,0]],"easy":[]}', 'none of the 14'],
    ['no query', '{"type":"1p","easy":[]}', 'query'],
    ['an entity out of range', '{"type":"1p","query":[879,[0]],"easy":[]}', '879'],
    ['a relation out of range', '{"type":"1p","query":[0,[24]],"easy":[]}', '24'],
    ['an answer out of range', '{"type":"1p","query":[0,[0]],"easy":[1,879]}', '879'],
    ['an answer that is no number', '{"type":"1p","query":[0,[0]],"easy":[],"hard":["3"]}', '"3"'],
    ['answers that are no list', '{"type":"1p","query":[0,[0]],"easy":[],"hard":{}}', 'array'],
    ['an answer twice', '{"type":"1p","query":[0,[0]],"easy":[4,3,4]}', '4 twice'],
    [
      'an answer both easy and hard',
      '{"type":"1p","query":[0,[0]],"easy":[3,4],"hard":[4]}',
      'entity 4 in both',
    ],
    ['no easy answers and no graph', '{"type":"1p","query":[0,[0]],"hard":[4]}', 'easy'],
  ])('are refused with %s', async (_what, line, message) => {
    const good = '{"type":"1p","query":[0,[0]],"easy":[],"hard":[1]}';
    await expect(reading(good, line)).rejects.toMatchObject({
      code: 'data',
      path: `${path}:2`,
      message: expect.stringContaining(message),
    });
  });

  it('are refused when there are none', async () => {
    await expect(reading('')).rejects.toMatchObject({ code: 'data', path });
  });
});
