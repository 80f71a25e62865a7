import { createApp } from '@fuzzqe/api';
import { documentation } from '@fuzzqe/api/documentation';
import { checkResponses } from '@fuzzqe/api/testing';
import { createKnowledgeGraph, FuzzError, type KnowledgeGraph } from '@fuzzqe/core';
import { parseQueryText, type Query } from '@fuzzqe/core/query';
import { defaultWeights, type RuleSet } from '@fuzzqe/evidence';
import { createVocabulary, readEntityRows } from '@fuzzqe/names';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { nextRelations, openGraphEngine } from './index.ts';

const named = (...keys: readonly string[]) => keys.map((key) => ({ key, label: key }));
const names = ['Ann', 'Bob', 'Carl', 'Dora', 'Emil', 'Fay'];
const relations = ['spouse', 'parent'];
const vocabulary = createVocabulary({
  entities: named(...names),
  relations: named(...relations),
});

const graphOf = (...triples: readonly (readonly [number, number, number])[]): KnowledgeGraph =>
  createKnowledgeGraph({ entityCount: 6, relationCount: 4, triples: Int32Array.from(triples.flat()) });

/** Ann and Bob are spouses both ways, Carl and Dora one way; spouse(X, Y) ← spouse(Y, X). */
const facts = graphOf([0, 0, 1], [1, 0, 0], [2, 0, 3], [4, 2, 0]);
const rules: RuleSet = {
  relationCount: 4,
  rules: [{ kind: 'path', relation: 0, path: [1], hits: 60, predictions: 61 }],
};
const evidence = { weights: defaultWeights(4), rules };
const parse = (text: string): Query => parseQueryText(text, vocabulary);

describe('an engine without a model', () => {
  it('answers with what is recorded, and suggests by rules, with reasons', async () => {
    const engine = await openGraphEngine({ vocabulary, facts, evidence });
    const recorded = await engine.answer(parse('project(spouse, Carl)'));
    expect(recorded.mode).toBe('sets');
    expect(recorded.answers[0]).toMatchObject({ key: 'Dora', degree: 1, state: 'recorded' });
    const { answers, suggestions } = await engine.answer(parse('project(spouse, Dora)'), { explain: true });
    const [best] = [...answers, ...suggestions];
    expect(best).toMatchObject({ key: 'Carl', state: 'predicted' });
    expect(best!.degree).toBeLessThan(1);
    expect(best!.links![0]!.reasons!.rules[0]).toMatchObject({ hits: 60, predictions: 61 });
    // Negative control: without the rule nothing names Carl before others of his kind.
    const bare = await openGraphEngine({
      ...{
        vocabulary,
        facts,
        evidence: { weights: defaultWeights(4), rules: { relationCount: 4, rules: [] } },
      },
    });
    const [weaker] = await bare.degrees([parse('project(spouse, Dora)')]);
    expect(weaker![2]).toBeLessThan(best!.degree);
    await Promise.all([engine.close(), bare.close()]);
  });

  it('gives the same answers each time', async () => {
    const query = parse('and(project(spouse, Dora), not(project(parent, Emil)))');
    const opened = [0, 1].map(() => openGraphEngine({ vocabulary, facts, evidence }));
    const [first, second] = await Promise.all(
      opened.map(async (each) => (await each).answer(query, { explain: true })),
    );
    expect(JSON.stringify(first)).toBe(JSON.stringify(second));
  });

  it('describes entities, finds next relations and what it costs', async () => {
    const engine = await openGraphEngine({ vocabulary, facts, evidence });
    const dora = await engine.describeEntity(3);
    const spouse = dora.relations.results.find(({ relation }) => relation.key === 'spouse');
    expect(spouse!.predicted[0]).toMatchObject({ key: 'Carl' });
    expect(spouse!.recorded.total).toBe(0);
    const next = await nextRelations(engine, parse('project(spouse, Carl)'));
    expect(next.results.map(({ relation }) => relation.key)).toContain('spouse^-1');
    expect(engine.costOf(parse('project(spouse, Carl)'))).toBeGreaterThan(0);
  });

  it('describes entities with their further names and attributes, as the API documents it', async () => {
    const columns = [{ key: 'p', label: 'height', type: 'number', language: '', unit: 'm' }] as const;
    const rowsOf = (text: string, fields: readonly string[]) =>
      readEntityRows(() => new TextEncoder().encode(text), { entityCount: 6, path: 'rows', fields });
    const values = Array.from({ length: 101 }, (_, i) => `3\t0\t${i}\n`).join('');
    const aliases = rowsOf(`3\talias\tde\t${'D'.repeat(1001)}\n`, ['kind', 'language', 'text']);
    const engine = await openGraphEngine({
      ...{ facts, evidence, attributes: { columns, rows: rowsOf(values, ['column', 'value']) } },
      vocabulary: createVocabulary({ entities: named(...names), relations: named(...relations), aliases }),
    });
    const dora = await engine.describeEntity(3);
    expect(dora.names).toEqual({
      total: 1,
      results: [{ kind: 'alias', language: 'de', text: `${'D'.repeat(1000)}…` }],
    });
    expect(dora.attributes?.total).toBe(101);
    expect(dora.attributes?.results).toHaveLength(100);
    expect(dora.attributes?.results[1]).toEqual({ ...columns[0], value: '1' });
    const ann = await engine.describeEntity(0);
    expect([ann.names, ann.attributes]).toEqual([undefined, undefined]);
    const plain = createApp(engine, { mount: [documentation()] });
    const openapi = await (await plain.request('/openapi.json')).json();
    const { app } = checkResponses(plain, openapi, new Ajv2020({ strict: false }));
    const answer = await app.request('/v1/entities/Dora');
    expect(await answer.json()).toMatchObject({ attributes: { total: 101 } });
    await engine.changeNames({
      entities: [
        {
          key: 'Dora',
          aliases: [{ kind: 'alias', language: '', text: 'Dorothea' }],
          attributes: [{ key: 'p', values: [{ type: 'text', language: 'en', unit: '', value: 'tall' }] }],
        },
      ],
    });
    const { names: further, attributes } = await engine.describeEntity(3);
    expect(further?.results.map(({ text }) => text)).toEqual(['Dorothea']);
    const column = { key: 'p', label: 'height', type: 'text', language: 'en', unit: '' };
    expect(attributes?.results).toEqual([{ ...column, value: 'tall' }]);
    expect(await engine.attributeColumns()).toEqual([...columns, column]);
    expect((await app.request('/v1/entities/dorothea')).status).toBe(200);
    await engine.close();
  });

  it('refuses mode embedding with one error, and says that no model is there', async () => {
    const engine = await openGraphEngine({ vocabulary, facts, evidence });
    const refused = { code: 'usage', message: expect.stringContaining('no model is there yet: train one') };
    const query = parse('project(spouse, Carl)');
    await expect(engine.answer(query, { mode: 'embedding' })).rejects.toMatchObject(refused);
    await expect(engine.embed(query)).rejects.toMatchObject(refused);
    await expect(engine.rank([query])).rejects.toMatchObject(refused);
    await expect(engine.ranker.rank([{ task: 'embedding', query, k: 1 }])).rejects.toMatchObject(refused);
    expect(engine.warnings).toEqual([
      expect.stringMatching(/^no-model: no model is there yet/),
      expect.stringMatching(/^default-calibration: /),
    ]);
    const fitted = { links: 1, candidates: 1, found: 1, knownShare: 1 };
    const calibrated = await openGraphEngine({ vocabulary, facts, evidence: { ...evidence, fitted } });
    expect(calibrated.warnings).toHaveLength(1);
  });

  it('answers over HTTP, where its modes are told', async () => {
    const engine = await openGraphEngine({ vocabulary, facts, evidence, name: 'people' });
    const described = createApp(engine, { mount: [documentation()] });
    const openapi = await (await described.request('/openapi.json')).json();
    const { app } = checkResponses(described, openapi, new Ajv2020({ strict: false }));
    const post = (body: object) =>
      app.request('/v1/query', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    const { models } = await (await app.request('/v1/models')).json();
    expect(models).toMatchObject([{ name: 'people', modes: ['sets'], profile: 'no model' }]);
    expect(models[0].warnings[0]).toContain('no model is there yet');
    const answered = await post({ query: 'project(spouse, Carl)', explain: true });
    expect(answered.status).toBe(200);
    expect(await answered.json()).toMatchObject({ answers: [{ key: 'Dora', state: 'recorded' }] });
    const refused = await post({ query: 'project(spouse, Carl)', mode: 'embedding' });
    expect(refused.status).toBe(400);
    expect(JSON.stringify(await refused.json())).toContain('train one');
    expect(openapi.info.title).toBe('FuzzQE: people');
    expect((await app.request('/healthz')).status).toBe(200);
    expect((await app.request('/v1/entities/Dora')).status).toBe(200);
  });

  it('answers from a graph of one fact', async () => {
    const tiny = createVocabulary({ entities: named('a', 'b'), relations: named('r') });
    const one = createKnowledgeGraph({ entityCount: 2, relationCount: 2, triples: Int32Array.of(0, 0, 1) });
    const engine = await openGraphEngine({
      ...{ vocabulary: tiny, facts: one },
      evidence: { weights: defaultWeights(2), rules: { relationCount: 2, rules: [] } },
    });
    const { answers } = await engine.answer(parseQueryText('project(r, a)', tiny));
    expect(answers.map(({ key }) => key)).toEqual(['b']);
    const back = await engine.answer(parseQueryText('project(r, b)', tiny));
    expect(back.answers).toEqual([]);
  });

  it('refuses parts of different graphs, and weights of a model', async () => {
    const refuse = (given: object, message: string) =>
      expect(openGraphEngine({ vocabulary, facts, evidence, ...given } as never)).rejects.toThrow(message);
    await refuse({ evidence: { ...evidence, weights: defaultWeights(6) } }, 'evidence.weights: expected 48');
    await refuse(
      { evidence: { ...evidence, weights: defaultWeights(4, { temperature: 1 }) } },
      'without a temperature',
    );
    await refuse(
      { evidence: { ...evidence, rules: { relationCount: 2, rules: [] } } },
      'evidence.rules: expected 4',
    );
    await refuse({ facts: undefined }, 'facts');
    await refuse({ evidence: { weights: null, rules } }, 'weights');
    await expect(openGraphEngine({} as never)).rejects.toBeInstanceOf(FuzzError);
  });
});
