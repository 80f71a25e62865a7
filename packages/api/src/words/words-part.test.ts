import { createKnowledgeGraph, FuzzError } from '@fuzzqe/core';
import { openGraphEngine } from '@fuzzqe/engine';
import { patternOfQuestion, type Translator, type TranslatorMessage } from '@fuzzqe/engine/words';
import { defaultWeights } from '@fuzzqe/evidence';
import { createVocabulary } from '@fuzzqe/names';
import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from 'vitest';
import { type App, createApp } from '../index.ts';
import { wordsPart } from './index.ts';

const named = (...keys: readonly string[]) => keys.map((key) => ({ key, label: key }));
const vocabulary = createVocabulary({
  entities: named('Ann', 'Bob', 'Carl Smith', 'Dora', 'Acme', 'Bolt'),
  relations: named('spouse', 'works_for', 'parentOf', 'born in'),
});
const facts = createKnowledgeGraph({
  entityCount: 6,
  relationCount: 8,
  triples: Int32Array.of(
    ...[0, 0, 1, 1, 0, 0, 2, 0, 3, 0, 2, 4, 1, 2, 4, 2, 2, 4, 3, 2, 5, 0, 4, 3, 3, 6, 4],
  ),
});
const engine = await openGraphEngine({
  vocabulary,
  facts,
  evidence: { weights: defaultWeights(8), rules: { relationCount: 8, rules: [] } },
});

const appOf = (translator?: Translator): App => createApp(engine, { mount: [wordsPart({ translator })] });
const ask = async (body: unknown, app = appOf(), path = '/v1/ask') => {
  const response = await app.request(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: await response.json() };
};

describe('templates', () => {
  it.each([
    ['who works for Acme', '?x : works_for(?x, Acme)'],
    ['Who does Ann work for?', '?x : works_for(Ann, ?x)'],
    ["Ann's spouse", '?x : spouse(Ann, ?x)'],
    ['Who is the spouse of Carl Smith?', '?x : spouse("Carl Smith", ?x)'],
    ['who is the spouse of the spouse of Ann', '?x : spouse(?y, ?x), spouse(Ann, ?y)'],
    ['people who work for Acme and not Bolt', '?x : works_for(?x, Acme), not works_for(?x, Bolt)'],
    ['does "Carl Smith" work for Bolt', 'works_for("Carl Smith", Bolt)'],
    ['Is Ann a parent of Dora?', 'parentOf(Ann, Dora)'],
    ['who is the parent of Dora', '?x : parentOf(?x, Dora)'],
    ['what is Dora born in', '?x : "born in"(Dora, ?x)'],
    ['do Ann and Bob work for each other', 'works_for(Ann, Bob)'],
  ])('read %j by the labels of another graph', async (question, text) => {
    expect(await ask({ question, run: false })).toMatchObject({
      status: 200,
      body: { question, by: 'templates', count: false, pattern: { text } },
    });
  });

  it.each([
    ['who worked for Acme in 1990', 'got "1990"'],
    ['who works for Acme or Bolt and Ann', 'a question of a form that templates know'],
    ['which managers work for Acme', 'got "managers"'],
    ['why does Ann work for Acme', 'got "why"'],
    ['spouse of Ann and Bob', 'a question of a form that templates know'],
    ['what is Ann', 'a question of a form that templates know'],
    ['who is the spouse of Zoe', 'got "Zoe"'],
    ['', 'expected 1 to 500 characters'],
    ['x '.repeat(200), 'at most 48 words'],
  ])('refuse %j and say what may be asked', async (question, said) => {
    const { status, body } = await ask({ question });
    expect(status).toBe(400);
    expect(body.detail).toContain(said);
    expect(body.path).toBe('$.question');
  });

  it('say what may be asked by questions that they read', () => {
    const hint = (() => {
      try {
        patternOfQuestion('tell me a story', engine);
      } catch (error) {
        return error instanceof FuzzError ? error.hint : undefined;
      }
      return undefined;
    })();
    const offered = [...hint!.matchAll(/"([^"]+)"/g)].map(([, text]) => text!);
    expect(offered.length).toBeGreaterThan(2);
    for (const question of offered) expect(patternOfQuestion(question, engine).pattern.answers).toEqual([0]);
  });
});

describe('the words of a graph', () => {
  it('follow a relation that gets another name', async () => {
    const own = await openGraphEngine({
      vocabulary: createVocabulary({ entities: named('Ann', 'Acme'), relations: named('works_for') }),
      facts: createKnowledgeGraph({ entityCount: 2, relationCount: 2, triples: Int32Array.of(0, 0, 1) }),
      evidence: { weights: defaultWeights(2), rules: { relationCount: 2, rules: [] } },
    });
    const read = (question: string) => patternOfQuestion(question, own).pattern.where;
    const before = read('who works for Acme');
    expect(() => read('who serves Acme')).toThrow(FuzzError);
    await own.changeNames({ relations: [{ key: 'works_for', label: 'serves' }] });
    expect(read('who serves Acme')).toEqual(before);
  });
});

describe('POST /v1/ask', () => {
  it('answers a question with its pattern, and counts where it asks how many', async () => {
    const { body } = await ask({ question: 'who works for Acme', k: 2 });
    expect(body).toMatchObject({
      pattern: { json: { select: ['?x'], where: [{ link: 'works_for', from: '?x', to: 'Acme' }] } },
      answer: { columns: ['x'], rows: [{ state: 'recorded' }, { state: 'recorded' }] },
    });
    const many = await ask({ question: 'how many people work for Acme' });
    expect(many.body).toMatchObject({ count: true, answer: { counts: { recorded: 3 } } });
    const direct = await appOf().request('/v1/patterns', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ pattern: body.pattern.text, k: 2, count: false }),
    });
    expect(body.answer).toEqual(await direct.json());
    const { name } = engine.manifest;
    expect((await ask({ question: "Ann's spouse" }, appOf(), `/v1/models/${name}/ask`)).status).toBe(200);
    expect((await ask({ question: "Ann's spouse" }, appOf(), '/v1/models/nobody/ask')).status).toBe(404);
  });

  it('lists questions that it answers, and whether a translator reads others', async () => {
    const listed = await (await appOf().request('/v1/ask')).json();
    expect(listed).toMatchObject({ translator: false });
    expect(listed.questions.length).toBeGreaterThan(2);
    for (const question of listed.questions) expect((await ask({ question })).status).toBe(200);
    const translated = await appOf(async () => '{}').request('/v1/ask');
    expect(await translated.json()).toEqual({ ...listed, translator: true });
    expect((await appOf().request('/v1/models/nobody/ask')).status).toBe(404);
  });

  it.each([
    [{}, 400, '$.question'],
    [{ question: 'who works for Acme', k: 0 }, 422, '$.k'],
    [{ question: 'who works for Acme', kk: 1 }, 400, '$.kk'],
    [{ question: 'who works for Acme', pattern: '?x : x' }, 400, '$.pattern'],
    [{ question: 'who works for Acme', run: 'no' }, 400, '$.run'],
  ])('refuses %j', async (body, status, path) => {
    expect(await ask(body)).toMatchObject({ status, body: { path } });
  });

  it('describes itself', async () => {
    const { documentation } = await import('../documentation/index.ts');
    const app = createApp(engine, { mount: [documentation(), wordsPart()] });
    const document = await (await app.request('/openapi.json')).json();
    expect(Object.keys(document.paths)).toEqual(expect.arrayContaining(['/v1/ask', '/v1/models/{name}/ask']));
    expect(await new Validator().validate(document)).toMatchObject({ valid: true });
  });
});

describe('a translator', () => {
  /** A translator that gives these replies, and keeps what it was asked. */
  const replying = (...replies: readonly string[]) => {
    const asked: (readonly TranslatorMessage[])[] = [];
    const translator: Translator = async (messages) => {
      asked.push([...messages]);
      return replies[asked.length - 1] ?? expect.fail('asked too often');
    };
    return { asked, app: appOf(translator) };
  };
  const question = 'who is married to a colleague at Acmee';
  const text = '?x : spouse(?x, ?y), works_for(?x, Acme), works_for(?y, Acme)';

  it('writes a pattern, which is read, shown and answered', async () => {
    const { asked, app } = replying(`\`\`\`json\n{"pattern": ${JSON.stringify(text)}}\n\`\`\``);
    const { status, body } = await ask({ question }, app);
    expect({ status, by: body.by, text: body.pattern.text }).toEqual({ status: 200, by: 'translator', text });
    expect(body.answer.rows.map((row: { entities: { key: string }[] }) => row.entities[0]!.key)).toEqual([
      'Ann',
      'Bob',
    ]);
    const [[system, user]] = asked as [[TranslatorMessage, TranslatorMessage]];
    expect(system.content).toContain('works_for(Ann, Acme)');
    expect(user.content).toContain(`Question: ${question}`);
    // The name is misspelt in the question.
    expect(user.content).toContain('Acmee: Acme');
  });

  it('is not asked what a template knows', async () => {
    const { asked, app } = replying();
    expect((await ask({ question: 'who works for Acme' }, app)).body.by).toBe('templates');
    expect(asked).toEqual([]);
  });

  it('hears once what is wrong with a pattern', async () => {
    const { asked, app } = replying(
      JSON.stringify({ pattern: '?x : works_for(?x, Acne)' }),
      JSON.stringify({ pattern: text, count: true }),
    );
    expect((await ask({ question }, app)).body).toMatchObject({
      by: 'translator',
      count: true,
      answer: { counts: {} },
    });
    expect(asked[1]!.at(-1)!.content).toMatch(/That is refused: .*"Acne"[\s\S]*did you mean "Acme"/);
  });

  it.each([
    [['nonsense', 'more nonsense'], 'got \\"more nonsense\\" from the translator'],
    [
      [
        JSON.stringify({ pattern: '?x : loves(?x, Ann)' }),
        JSON.stringify({ pattern: '?x : loves(?x, Ann)' }),
      ],
      'loves',
    ],
    [
      [JSON.stringify({ refusal: 'no relation says who is tall' })],
      'the translator says: no relation says who is tall',
    ],
  ])('that replies %j is refused in the end', async (replies, said) => {
    const { asked, app } = replying(...replies);
    const { status, body } = await ask({ question }, app);
    expect([status, JSON.stringify(body.detail)]).toEqual([400, expect.stringContaining(said)]);
    expect(asked).toHaveLength(replies.length);
    expect(body).not.toHaveProperty('answer');
  });

  it('has the time of the request', async () => {
    const slow: Translator = (_, signal) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(new FuzzError('deadline', 'too late')));
      });
    expect((await ask({ question, timeoutMs: 20 }, appOf(slow))).status).toBe(504);
  });
});
