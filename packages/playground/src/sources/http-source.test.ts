import { type App, createApp } from '@fuzzqe/api';
import { wordsPart } from '@fuzzqe/api/words';
import { asEntityId, asRelationId } from '@fuzzqe/core';
import { entity, not, project } from '@fuzzqe/core/query';
import { type Engine, openEngine } from '@fuzzqe/engine';
import { memoryBundle, referenceSessions } from '@fuzzqe/engine/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AnswerSource } from './answer-source.ts';
import { httpSource } from './http-source.ts';
import { openSourceNames } from './source-names.ts';

let engine: Engine;
let app: App;
let withWords: App;
beforeAll(async () => {
  const { source, config, parameters } = await memoryBundle();
  engine = await openEngine({ source, sessions: referenceSessions(config, parameters) });
  app = createApp(engine);
  withWords = createApp(engine, { mount: [wordsPart()] });
});
afterAll(() => engine.close());

const query = project(asRelationId(1), entity(asEntityId(3)));
const sources = ['', '/v1/models'].map((path): [string, () => AnswerSource] => [
  path === '' ? 'the default model' : 'a model by its name',
  () =>
    httpSource({
      address: 'http://localhost',
      ...(path === '' ? {} : { model: engine.manifest.name }),
      fetch: (address, init) => app.request(address, init),
    }),
]);

it('turns words into patterns where its server does, and says which', async () => {
  const open = (of: App): AnswerSource =>
    httpSource({ address: 'http://localhost', fetch: (address, init) => of.request(address, init) });
  expect(await open(app).questions()).toBeUndefined();
  const source = open(withWords);
  const { questions, translator } = (await source.questions())!;
  expect([questions.length > 0, translator]).toEqual([true, false]);
  const { by, count, text } = await source.translate(questions[0]!);
  expect([by, count]).toEqual(['templates', false]);
  expect((await source.match(text)).answer.columns).toEqual(['x']);
  await expect(source.translate('tell me a story')).rejects.toMatchObject({
    fault: 'refused',
    hint: expect.stringContaining(questions[0]!),
  });
});

describe.each(sources)('a source over the v1 API, of %s', (_, open) => {
  it('answers as the engine does, with every part and the links of each answer', async () => {
    const { answer, ms } = await open().ask(query, { k: 4 });
    expect(answer).toEqual(await engine.answer(query, { k: 4, explain: true }));
    expect(ms).toBeGreaterThan(0);
    const others = await open().ask(query, { k: 4, exclude: 'known' });
    const listed = [...others.answer.answers, ...others.answer.suggestions];
    expect(listed.some(({ state }) => state === 'recorded')).toBe(false);
  });

  it('knows names, relations, structures, pages and what may follow', async () => {
    const source = open();
    const [model] = await source.models();
    const { results, total } = await source.names('Entity 1', { limit: 3 });
    expect([results.length, total > 3, results[0]?.label]).toEqual([3, true, 'Entity 1']);
    expect(await source.relations()).toHaveLength(engine.vocabulary.relationCount / 2);
    const { structures, patterns } = await source.examples();
    expect([structures.length, patterns.length > 0]).toEqual([14, true]);
    expect((await source.page(3, { limit: 1 })).label).toBe('Entity 3');
    expect((await source.following(entity(asEntityId(3)))).results.length).toBeGreaterThan(0);
    const names = await openSourceNames(source, model!);
    expect(names.known(asEntityId(5))).toBeUndefined();
    expect(await names.findEntity('Entity 2')).toMatchObject({ id: 2, key: 'e2' });
    expect(await names.findEntity('e2')).toMatchObject({ id: 2 });
    expect(await names.findEntity('<e2>')).toMatchObject({ id: 2 });
    const near = { code: 'vocabulary', hint: expect.stringContaining('did you mean "Entity 0"') };
    await expect(names.findEntity('Entity')).rejects.toMatchObject(near);
    // Digits are an id in an address, and a name in a question.
    for (const digits of ['2', '#2']) {
      expect(await source.page(digits)).toMatchObject({ id: 2 });
      await expect(names.findEntity(digits)).rejects.toMatchObject({ code: 'vocabulary' });
    }
    expect(await names.entity(asEntityId(5))).toMatchObject({ label: 'Entity 5' });
    expect(names.known(asEntityId(5))).toMatchObject({ key: 'e5' });
  });
});

describe('a source over the v1 API', () => {
  it('takes verdicts where the root of its server offers them', async () => {
    const endpoints = { 'POST /v1/judgements': 'accepts links' };
    const asked: (string | null)[] = [];
    const fetch = (address: string, { headers }: RequestInit): Response => {
      asked.push(`${address} ${new Headers(headers).get('accept')}`);
      return Response.json({ endpoints });
    };
    expect(await httpSource({ address: '/api', fetch }).judging()).toBeDefined();
    expect(asked).toEqual(['/api/ application/json']);
    expect(await httpSource({ address: '', kind: 'browser', fetch }).judging()).toBeUndefined();
    const [[, open]] = sources as [(typeof sources)[number]];
    expect(await open().judging()).toBeUndefined();
  });

  it.each([
    [403, true],
    [421, true],
    [409, false],
  ])('says of status %i whether it forbids writing: %s', async (status, isForbidden) => {
    const source = httpSource({ address: '', fetch: () => Response.json({}, { status }) });
    await expect(source.models()).rejects.toMatchObject({ fault: 'refused', isForbidden });
  });

  it.each([
    [400, 'refused'],
    [429, 'busy'],
    [503, 'failed'],
  ] as const)('says of status %s that it is %s, with the words of the server', async (status, fault) => {
    const fetch = (): Response => Response.json({ detail: 'why', hint: 'how' }, { status });
    const asked = httpSource({ address: '', fetch }).ask(not(query));
    await expect(asked).rejects.toMatchObject({ name: 'SourceError', fault, message: 'why', hint: 'how' });
  });

  it('says that nobody answers where nothing does, or something else than an API', async () => {
    const gone = httpSource({ address: '', fetch: () => Promise.reject(new TypeError('no')) });
    await expect(gone.models()).rejects.toMatchObject({ fault: 'unreachable' });
    const page = httpSource({ address: '', fetch: () => new Response('<html>') });
    await expect(page.models()).rejects.toMatchObject({ fault: 'unreachable' });
  });

  it.each([502, 413])('tells the status %i of a page that is no answer of the API', async (status) => {
    for (const text of ['<html>', 'null']) {
      const source = httpSource({ address: '', fetch: () => new Response(text, { status }) });
      await expect(source.models()).rejects.toMatchObject({
        fault: { 502: 'failed', 413: 'refused' }[status],
        message: `The server answered with status ${status}.`,
      });
    }
  });

  it.each(['{"detail": "why", "hint": "Send the header"}', '<html>'])(
    'says how to give another key where the server refuses one with %s',
    async (text) => {
      const source = httpSource({ address: '', fetch: () => new Response(text, { status: 401 }) });
      await expect(source.models()).rejects.toMatchObject({
        fault: 'key',
        message: 'The server does not know this key.',
        hint: 'Reload the page to enter another one.',
      });
    },
  );

  it('asks for another key where one cannot be sent', async () => {
    const source = httpSource({ address: '', key: () => 'k\u20ac', fetch: () => expect.fail('asked') });
    await expect(source.models()).rejects.toMatchObject({ name: 'SourceError', fault: 'key' });
  });

  it('sends a key as it is at the time, and gives up when it is told to', async () => {
    let key: string | undefined;
    const sent: (string | null)[] = [];
    const source = httpSource({
      address: '',
      key: () => key,
      fetch: (_, { headers, signal }) => {
        sent.push(new Headers(headers).get('authorization'));
        signal?.throwIfAborted();
        return Response.json({ models: [] });
      },
    });
    await source.models();
    key = 'k1';
    await source.models();
    expect(sent).toEqual([null, 'Bearer k1']);
    await expect(source.models(AbortSignal.abort())).rejects.toMatchObject({ name: 'AbortError' });
  });
});
