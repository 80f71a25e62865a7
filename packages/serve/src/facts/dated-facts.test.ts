import { type App, createApp } from '@fuzzqe/api';
import { createKnowledgeGraph } from '@fuzzqe/core';
import { type Engine, openGraphEngine } from '@fuzzqe/engine';
import { defaultWeights } from '@fuzzqe/evidence';
import { createMemoryFacts, type FactStore } from '@fuzzqe/facts';
import { createVocabulary } from '@fuzzqe/names';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { factsPart } from './facts-part.ts';
import { createLiveFacts, type LiveFacts } from './live-facts.ts';

const named = (...keys: readonly string[]) => keys.map((key) => ({ key, label: key }));
const open = (): Promise<Engine> =>
  openGraphEngine({
    vocabulary: createVocabulary({
      entities: named('Ann', 'Bob', 'Carl'),
      relations: named('spouse', 'parent'),
    }),
    facts: createKnowledgeGraph({ entityCount: 3, relationCount: 4, triples: Int32Array.of(0, 0, 1) }),
    evidence: { weights: defaultWeights(4), rules: { relationCount: 4, rules: [] } },
  });
const json = { 'content-type': 'application/json' };
const lines = { 'content-type': 'application/x-ndjson' };
const fact = (head: string, relation: string, tail: string) => ({ head, relation, tail });

let engine: Engine;
let live: LiveFacts;
let store: FactStore;
let app: App;
beforeEach(async () => {
  engine = await open();
  store = createMemoryFacts();
  live = createLiveFacts(store);
  await live.follow(engine);
  app = createApp(engine, { mount: [factsPart({ facts: live, refusalOf: () => undefined })] });
});
afterEach(async () => {
  await Promise.all([live.close(), engine.close()]);
});

const send = async (path: string, body?: unknown) => {
  const given = { method: 'POST', headers: json, body: JSON.stringify(body) };
  const response = await app.request(path, body === undefined ? {} : given);
  return { status: response.status, body: await response.json() };
};
const ask = async (path: string, body?: unknown) => (await send(path, body)).body;

describe('facts that hold for a time', () => {
  it('are what questions with a date are answered by, after a restart too', async () => {
    const add = [
      { ...fact('Carl', 'parent', 'Ann'), from: '1990', until: '2000-06' },
      { ...fact('Carl', 'parent', 'Bob'), source: 'atlas', until: '1995' },
    ];
    const written = await ask('/v1/facts', { add: [fact('Carl', 'parent', 'Ann'), ...add] });
    expect(written).toMatchObject({ epoch: 1, added: 2 });
    const { provenance: shown } = await ask('/v1/facts?head=Carl&relation=parent&tail=Ann');
    expect(shown).toEqual({ from: '1990', until: '2000-06', at: expect.any(String) });
    const question = { query: 'project(parent, Carl)', suggestions: false };
    const recordedAt = async (at?: string): Promise<string> => {
      const { answers, ...rest } = await ask('/v1/query', at === undefined ? question : { ...question, at });
      expect([rest.at, rest.warnings.join()]).toEqual([at, expect.not.stringContaining('no-validity')]);
      return answers
        .filter(({ state }: { state: string }) => state === 'recorded')
        .map(({ key }: { key: string }) => key)
        .sort()
        .join(' ');
    };
    const dates = ['1989', '1990', '1994-12-31', '1995', '2000-05-31T23:59:59Z', '2000-06', undefined];
    const expected = ['Bob', 'Ann Bob', 'Ann Bob', 'Ann', 'Ann', '', 'Ann Bob'];
    expect(await Promise.all(dates.map(recordedAt))).toEqual(expected);
    const lined = await app.request('/v1/query/batch', {
      ...{ method: 'POST', headers: lines },
      body: dates.map((at) => JSON.stringify({ ...question, at })).join('\n'),
    });
    const answered = (await lined.text()).trimEnd().split('\n');
    expect(answered.map((line) => JSON.parse(line).answer.at)).toEqual(dates);
    const { answers } = await ask('/v1/query', { ...question, at: '1994', explain: true });
    expect(answers[0].links[0].provenance).toMatchObject({ until: expect.any(String) });
    // Nothing but the end changes, and then nothing holds but without a date.
    expect(await ask('/v1/facts', { add: [{ ...add[1], until: '1991' }] })).toMatchObject({ unchanged: 1 });
    expect(await recordedAt('1994')).toBe('Ann');
    const again = await open();
    const restarted = createLiveFacts(store);
    await restarted.follow(again);
    expect(again.facts.validity).toEqual(engine.facts.validity);
    await again.close();
    // A change that says nothing of it takes the bounds away.
    await ask('/v1/facts', fact('Carl', 'parent', 'Ann'));
    expect(await recordedAt('1989')).toBe('Ann Bob');
  });

  it.each([
    [{ at: 'soon' }, '$.at'],
    [{ at: 1990 }, '$.at'],
    [{ at: '1990', mode: 'embedding' }, undefined],
  ])('are asked for by no question with %j', async (more, path) => {
    const problem = await send('/v1/query', { query: 'project(parent, Carl)', ...more });
    expect(problem).toMatchObject({ status: 400, body: path === undefined ? {} : { path } });
  });
});
