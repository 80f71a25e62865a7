import { openEngine } from '@fuzzqe/engine';
import { createApp } from '@fuzzqe/engine/api';
import { memoryBundle, referenceSessions } from '@fuzzqe/engine/testing';
import { signal } from '@preact/signals';
import { expect, it, vi } from 'vitest';
import { exportQuestion } from '../question/exporters.ts';
import { createNaming } from '../question/naming.ts';
import { usualSettings } from '../question/settings.ts';
import { readText } from '../question/text.ts';
import { httpSource } from '../sources/http-source.ts';
import { openSourceNames } from '../sources/source-names.ts';
import { createPageState } from './page-state.ts';

it.each([
  ['as usual', usualSettings.k],
  ['by a link from a larger graph', 1000],
])('a graph of six entities is asked for six answers %s, here and elsewhere', async (_, k) => {
  const { source: files, config, parameters } = await memoryBundle({ entities: 6, facts: 12 });
  const engine = await openEngine({ source: files, sessions: referenceSessions(config, parameters) });
  const app = createApp(engine);
  const server = httpSource({ address: 'http://localhost', fetch: (url, init) => app.request(url, init) });
  const [model] = await server.models();
  const names = await openSourceNames(server, model!);
  const naming = createNaming(names);
  const state = createPageState({
    server,
    openBrowser: undefined,
    browser: undefined,
    warnings: signal([]),
    model: model!,
    models: [model!],
    names,
    naming,
    structures: [],
    question: await readText('or(project(r0, e1), project(r1, e2))', naming),
    settings: { k, exclude: 'none' },
    linkProblem: undefined,
    apiAddress: 'http://localhost/v1',
    hasKey: () => false,
  });
  const answered = async (): Promise<number> => {
    await vi.waitFor(() => expect(state.isAsking.value).toBe(false));
    expect(state.fault.value).toBeUndefined();
    return state.findings.value.answers[0]!.answer.answers.length;
  };
  expect(await answered()).toBeGreaterThan(0);
  const exported = { question: state.question.value, settings: state.possible.value, api: state.apiAddress };
  const body = await exportQuestion('JSON', exported, naming);
  const headers = { 'content-type': 'application/json' };
  const { status } = await app.request('/v1/query', { method: 'POST', headers, body });
  expect([status, JSON.parse(body).k]).toEqual([200, 6]);
  // Links go on saying what was wanted.
  expect(state.settings.value.k).toBe(k);
  state.change({ ...state.question.value });
  expect(await answered()).toBeGreaterThan(0);
  expect(state.settings.value.k).toBe(usualSettings.k);
  state.close();
  await engine.close();
});
