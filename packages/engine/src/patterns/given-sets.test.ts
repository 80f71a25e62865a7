import { createApp } from '@fuzzqe/api';
import { documentation } from '@fuzzqe/api/documentation';
import { checkResponses } from '@fuzzqe/api/testing';
import { createKnowledgeGraph } from '@fuzzqe/core';
import { parsePatternText } from '@fuzzqe/core/query';
import { defaultWeights, similarEntities } from '@fuzzqe/evidence';
import { createVocabulary, readEntityRows } from '@fuzzqe/names';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { openGraphEngine } from '../index.ts';
import type { PatternOptions, PatternRow } from './pattern-answer.ts';

const named = (...keys: readonly string[]) => keys.map((key) => ({ key, label: key }));
const names = ['Ann', 'Bob', 'Carl', 'Dora', 'Emil', 'Acme', 'Bolt', 'Oslo', 'Rome'];
const vocabulary = createVocabulary({
  entities: named(...names),
  relations: named('spouse', 'works for', 'lives in'),
});
const [spouse, worksFor, livesIn] = [0, 2, 4];
/** Bob works and lives where Ann does, Carl and Emil live there, Dora lives elsewhere. */
const facts = createKnowledgeGraph({
  entityCount: 9,
  relationCount: 6,
  triples: Int32Array.of(
    ...[0, spouse, 1, 1, spouse, 0, 2, spouse, 3, 3, spouse, 2],
    ...[0, worksFor, 5, 1, worksFor, 5, 2, worksFor, 6],
    ...[0, livesIn, 7, 1, livesIn, 7, 2, livesIn, 7, 4, livesIn, 7, 3, livesIn, 8],
  ),
});
const column = (key: string, type: 'number' | 'date', unit = '') => ({
  key,
  label: key,
  type,
  language: '',
  unit,
});
const columns = [column('height', 'number', 'cm'), column('born', 'date')];
/** Emil has no height. */
const values = ['0\t0\t170', '0\t1\t1980-05-31', '1\t0\t201', '2\t0\t180', '3\t0\t205', '4\t1\t1979'];
const rows = readEntityRows(() => new TextEncoder().encode(`${values.join('\n')}\n`), {
  ...{ entityCount: 9, path: 'values', fields: ['column', 'value'] },
});
const evidence = { weights: defaultWeights(6), rules: { relationCount: 6, rules: [] } };
const open = () => openGraphEngine({ vocabulary, facts, evidence, attributes: { columns, rows } });
const match = async (text: string, options?: PatternOptions) =>
  (await open()).match(parsePatternText(text, vocabulary), options);
const labels = (found: readonly PatternRow[]) =>
  found.map(({ entities }) => entities.map(({ label }) => label).join(' '));

describe('conditions on values', () => {
  it('are exact, alone and beside links', async () => {
    const tall = await match('?x : where(?x, height > 200)');
    expect(labels(tall.rows)).toEqual(['Bob', 'Dora']);
    expect(tall.rows).toMatchObject([
      { state: 'recorded', degree: 1 },
      { state: 'recorded', degree: 1 },
    ]);
    expect(tall.suggestions).toEqual([]);
    const text = '?x, ?y : spouse(?x, ?y), where(?x, height > 200)';
    expect(labels((await match(text)).rows)).toEqual(['Bob Ann', 'Dora Carl']);
    // Negative control: without the condition all four pairs.
    expect((await match('?x, ?y : spouse(?x, ?y)')).rows).toHaveLength(4);
    expect(labels((await match(`${text}, where(?y, born in 1980)`)).rows)).toEqual(['Bob Ann']);
  });

  it('do not hold where the value is missing, so that their negation does', async () => {
    const living = '?x : "lives in"(?x, Oslo)';
    const of = async (condition: string): Promise<string[]> =>
      labels((await match(`${living}, ${condition}`, { suggestions: false })).rows).sort();
    expect(await of('where(?x, height > 175)')).toEqual(['Bob', 'Carl']);
    expect(await of('where(?x, height <= 175)')).toEqual(['Ann']);
    expect(await of('not where(?x, height > 175)')).toEqual(['Ann', 'Emil']);
  });

  it('count, and answer yes or no', async () => {
    const { counts } = await match('?x : where(?x, height >= 180)', { count: true });
    expect(counts).toMatchObject({ recorded: 3, expected: 3 });
    expect((await match('?x = Bob, where(?x, height > 200)')).rows).toHaveLength(1);
    expect((await match('?x = Ann, where(?x, height > 200)')).rows).toEqual([]);
  });

  it('say which literals pass, beside what supports the links', async () => {
    const { rows } = await match('?x : spouse(Ann, ?x), where(?x, height in 200..210)', { explain: true });
    expect(rows[0]).toMatchObject({
      entities: [{ label: 'Bob' }],
      because: [{ variable: 'x', links: [{ recorded: true }] }],
      sets: [{ variable: 'x', where: 'height in 200..210', values: [{ value: '201', unit: 'cm' }] }],
    });
  });

  it('follow changes of literals', async () => {
    const engine = await open();
    const tall = parsePatternText('?x : where(?x, height > 200)', engine.vocabulary);
    const height = { type: 'number', language: '', unit: 'cm', value: '220' } as const;
    await engine.changeNames({
      entities: [{ key: 'Emil', label: 'Emil', attributes: [{ key: 'height', values: [height] }] }],
    });
    expect(labels((await engine.match(tall)).rows)).toEqual(['Bob', 'Dora', 'Emil']);
  });

  it.each([
    [
      '?x : where(?x, heigth > 200)',
      'expected a property of literals, got "heigth"',
      'did you mean "height"?',
    ],
    ['?x : where(?x, born > 1980.5)', 'expected a comparison of what born has (date)', 'Compare dates'],
    ['?x : where(?x, height > 1980-05-31)', 'of what height has (number)', 'Compare numbers'],
    ['?x : where(?x, height = "tall")', 'of what height has (number)', 'Compare numbers'],
  ])('of %s are refused at their place', async (text, message, hint) => {
    const error = {
      code: 'query',
      message: expect.stringContaining(message),
      hint: expect.stringContaining(hint),
    };
    await expect(match(text)).rejects.toMatchObject({ ...error, path: 'line 1, column 16' });
  });
});

describe('answers sorted by values', () => {
  const heights = (found: readonly PatternRow[]) => found.map(({ value }) => value?.value);

  it('are all sorted before the first of them are taken', async () => {
    const text = '?x, ?y : spouse(?x, ?y)';
    const lowest = await match(text, { k: 2, order: { property: 'height' } });
    expect(labels(lowest.rows)).toEqual(['Ann Bob', 'Carl Dora']);
    expect(heights(lowest.rows)).toEqual(['170', '180']);
    const highest = await match(text, {
      k: 1,
      order: { property: 'height', variable: 'y', descending: true },
    });
    expect(labels(highest.rows)).toEqual(['Carl Dora']);
    // Negative control: the order decides which two are taken.
    expect(labels((await match(text, { k: 2 })).rows)).not.toEqual(labels(lowest.rows));
  });

  it('of trees are sorted, too, with their explanations, and without a value they are last', async () => {
    const order = { property: 'height', descending: true };
    const { rows, suggestions } = await match('?x : "lives in"(?x, Oslo)', { order, explain: true });
    expect(labels(rows)).toEqual(['Bob', 'Carl', 'Ann', 'Emil']);
    expect(heights(rows)).toEqual(['201', '180', '170', undefined]);
    expect(rows[1]!.because![0]!.links[0]!.tail.label).toBe('Carl');
    expect(suggestions).toEqual([]);
  });

  it.each([
    [{ property: 'heigth' }, 'order: expected a property of literals, got "heigth"', '$.order.property'],
    [{ property: 'height', variable: 'z' }, 'order: expected an answer variable, got z', '$.order.variable'],
    [{ property: 7 }, 'property: expected a text, got 7', '$.order.property'],
    [{ property: 'height', desc: true }, 'desc: expected no such key', '$.desc'],
  ])('are refused by %j', async (order, message, path) => {
    const options = { order } as PatternOptions;
    const error = { message: expect.stringContaining(message), path };
    await expect(match('?x : spouse(?x, ?y)', options)).rejects.toMatchObject(error);
  });

  it('are refused for a question of yes or no', async () => {
    const message = 'order: expected an answer variable, got no variable';
    await expect(match('spouse(Ann, Bob)', { order: { property: 'height' } })).rejects.toThrow(message);
  });
});

describe('likeness', () => {
  it('is a fuzzy set of those who share facts, and says which', async () => {
    const { rows, suggestions } = await match('?x : like(?x, Ann)', { explain: true });
    const found = [...rows, ...suggestions];
    expect(labels(found)).toEqual(['Bob', 'Emil', 'Carl']);
    const { ids, degrees } = similarEntities(facts, 0);
    for (const { entities, degree, state } of found) {
      expect(degree).toBe(degrees[ids.indexOf(entities[0]!.id)]);
      expect(state).toBe('predicted');
    }
    const [bob] = found[0]!.sets!;
    if (bob === undefined || !('shared' in bob)) throw new Error('expected what Ann and Bob share');
    expect(bob.like.label).toBe('Ann');
    expect(bob.shared.map(({ relation, entity }) => `${relation.label} ${entity.label}`)).toEqual([
      'works for Acme',
      'lives in Oslo',
    ]);
    const sum = bob.shared.reduce((total, { share }) => total + share, 0);
    expect(sum).toBeCloseTo(found[0]!.degree, 5);
  });

  it('joins other conditions', async () => {
    const both = await match('?x, ?y : like(?x, Ann), spouse(?x, ?y), where(?x, height < 200)', {
      explain: true,
    });
    expect(labels([...both.rows, ...both.suggestions])).toEqual(['Carl Dora']);
  });
});

describe('POST /v1/patterns with such conditions', () => {
  it('answers as the API documents it', async () => {
    const plain = createApp(await open(), { mount: [documentation()] });
    const openapi = await (await plain.request('/openapi.json')).json();
    const { app } = checkResponses(plain, openapi, new Ajv2020({ strict: false }));
    const ask = async (pattern: unknown) => {
      const response = await app.request('/v1/patterns', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ pattern, explain: true, minDegree: 0.01, order: { property: 'height' } }),
      });
      return { status: response.status, body: await response.json() };
    };
    const where = [
      { where: 'height', is: 'in', value: [100, 185], variable: '?x' },
      { like: 'Ann', variable: '?x' },
    ];
    const json = await ask({ select: ['?x'], where });
    expect(json.status).toBe(200);
    expect(json.body.rows[0].sets[1].shared).toHaveLength(1);
    expect(json.body.rows[0].value.value).toBe('180');
    expect((await ask('?x : where(?x, height in 100..185), like(?x, Ann)')).body).toEqual(json.body);
    const refused = await ask({ select: ['?x'], where: [{ ...where[0], where: 'heigt' }] });
    expect([refused.status, JSON.stringify(refused.body)]).toEqual([
      400,
      expect.stringContaining('$.pattern.where[0]'),
    ]);
  });
});
