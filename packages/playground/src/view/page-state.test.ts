import { type App, createApp } from '@fuzzqe/api';
import { openEngine } from '@fuzzqe/engine';
import { memoryBundle, referenceSessions } from '@fuzzqe/engine/testing';
import { signal } from '@preact/signals';
import { afterEach, expect, it, vi } from 'vitest';
import { exportQuestion } from '../question/exporters.ts';
import { createNaming } from '../question/naming.ts';
import { everyPart } from '../question/question.ts';
import { usualSettings } from '../question/settings.ts';
import { readText } from '../question/text.ts';
import { toQuery } from '../question/to-query.ts';
import { httpSource } from '../sources/http-source.ts';
import { openSourceNames } from '../sources/source-names.ts';
import { createPageState, type PageStart, type PageState } from './page-state.ts';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

/** A server of a graph of six entities, in this process. */
async function openServer(): Promise<App> {
  const { source, config, parameters } = await memoryBundle({ entities: 6, facts: 12 });
  const engine = await openEngine({ source, sessions: referenceSessions(config, parameters) });
  closers.push(() => engine.close());
  return createApp(engine);
}

/** The state of a page that begins with a question. */
async function openState(
  fetch: (url: string, init?: RequestInit) => Response | Promise<Response>,
  text: string,
  { settings = usualSettings, openBrowser }: Partial<Pick<PageStart, 'openBrowser' | 'settings'>> = {},
): Promise<PageState> {
  const server = httpSource({
    address: 'http://localhost',
    fetch: async (url, init) => fetch(`${url}`, init),
  });
  const [model] = await server.models();
  const names = await openSourceNames(server, model!);
  const naming = createNaming(names);
  const state = createPageState({
    server,
    openBrowser,
    browser: undefined,
    warnings: signal([]),
    model: model!,
    models: [model!],
    names,
    naming,
    examples: { structures: [], patterns: [] },
    question: await readText(text, naming),
    settings,
    isWelcome: false,
    linkProblem: undefined,
    apiAddress: 'http://localhost/v1',
    hasKey: () => false,
    giveKey: () => undefined,
  });
  closers.push(() => state.close());
  return state;
}

/** How many answers there are, once nothing is asked any more. */
async function answered(state: PageState): Promise<number> {
  await vi.waitFor(() => expect(state.isAsking.value).toBe(false));
  expect(state.fault.value).toBeUndefined();
  const { answers, suggestions } = state.findings.value.answers[0]!.answer;
  return answers.length + suggestions.length;
}

it.each([
  ['as usual', usualSettings.k],
  ['by a link from a larger graph', 1000],
])('a graph of six entities is asked for six answers %s, here and elsewhere', async (_, k) => {
  const app = await openServer();
  const text = 'or(project(r0, e1), project(r1, e2))';
  const state = await openState((url, init) => app.request(url, init), text, {
    settings: { k, exclude: 'none' },
  });
  expect(await answered(state)).toBeGreaterThan(0);
  const exported = {
    asked: toQuery(state.question.value),
    settings: state.possible.value,
    api: state.apiAddress,
  };
  const body = await exportQuestion('JSON', exported, state.naming);
  const headers = { 'content-type': 'application/json' };
  const { status } = await app.request('/v1/query', { method: 'POST', headers, body });
  expect([status, JSON.parse(body).k]).toEqual([200, 6]);
  // Links go on saying what was wanted.
  expect(state.settings.value.k).toBe(k);
  state.change({ ...state.question.value });
  expect(await answered(state)).toBeGreaterThan(0);
  expect(state.settings.value.k).toBe(usualSettings.k);
});

it.each([
  ['entities', 'project(r0, e1)', /(?<="key":"e)\d/g, 6],
  ['entities, also of a part that speaks against answers', 'not(project(r0, e1))', /(?<="key":"e)\d/g, 6],
  ['relations', 'project(r0, e1)', /(?<="label":"relation )\d/g, 3],
] as const)(
  'says so where a graph with other numbers of %s is served by now',
  async (_, text, number, count) => {
    const app = await openServer();
    let isReplaced = false;
    const state = await openState(async (url, init) => {
      const response = await app.request(url, init);
      const body = await response.text();
      const next = (found: string): string => `${(Number(found) + 1) % count}`;
      return new Response(isReplaced ? body.replaceAll(number, next) : body, response);
    }, text);
    expect(await answered(state)).toBeGreaterThan(0);
    const [entity] = [...everyPart(state.question.value)].flatMap((part) =>
      part.kind === 'anchor' ? [part.entity] : [],
    );
    const label = state.labelOf(entity!);
    isReplaced = true;
    state.onlyNew.value = true;
    await vi.waitFor(() => expect(state.fault.value?.message).toMatch(/Another version of this graph/));
    expect(state.findings.value.answers).toEqual([]);
    // What is asked goes on being called as it was.
    expect(state.labelOf(entity!)).toBe(label);
  },
);

it('finds names in this browser where it answers alone, also when the server has gone', async () => {
  const app = await openServer();
  let isGone = false;
  const state = await openState(
    (url, init) => (isGone ? Promise.reject(new TypeError('Failed to fetch')) : app.request(url, init)),
    'project(r0, e1)',
    {
      openBrowser: async () =>
        httpSource({
          kind: 'browser',
          address: 'http://localhost',
          fetch: (url, init) => app.request(url, init),
        }),
    },
  );
  expect(await answered(state)).toBeGreaterThan(0);
  state.askOf('browser');
  await vi.waitFor(() => expect(state.browser.value.phase).toBe('open'));
  isGone = true;
  expect(await answered(state)).toBeGreaterThan(0);
  expect((await state.nameSource().names('e2')).results[0]?.key).toBe('e2');
  expect(await readText('project(r0, "entity 4")', state.naming)).toMatchObject({ of: { entity: 4 } });
  // Both are asked: then the server has to be there.
  state.askOf('both');
  await expect(state.nameSource().names('e2')).rejects.toThrow(/does not answer/);
});
