import { createApp } from '@fuzzqe/api';
import { openEngine } from '@fuzzqe/engine';
import { memoryBundle, referenceSessions } from '@fuzzqe/engine/testing';
import { signal } from '@preact/signals';
import { afterEach, expect, it, vi } from 'vitest';
import { readAddress, writeAddress } from '../question/address.ts';
import { createNaming, type Naming } from '../question/naming.ts';
import { emptyQuestion } from '../question/question.ts';
import { usualSettings } from '../question/settings.ts';
import { httpSource } from '../sources/http-source.ts';
import { openSourceNames } from '../sources/source-names.ts';
import { lastId } from './drawing.ts';
import { addLink, moveNode, setRelation, toggleAnswer } from './drawing-edits.ts';
import { createPatternState, type PatternState } from './pattern-state.ts';
import { writeTable } from './write-table.ts';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

/** A view of patterns over a graph of twelve entities in this process, and what it asked. */
async function open(
  text?: string,
): Promise<{ readonly state: PatternState; readonly asked: unknown[]; readonly naming: Naming }> {
  const { source, config, parameters } = await memoryBundle({ entities: 12, facts: 40 });
  const engine = await openEngine({ source, sessions: referenceSessions(config, parameters) });
  closers.push(() => engine.close());
  const app = createApp(engine);
  const asked: unknown[] = [];
  const server = httpSource({
    address: 'http://localhost',
    fetch(url, init) {
      if (url.endsWith('/patterns')) asked.push(JSON.parse(`${init.body}`).pattern);
      return app.request(url, init);
    },
  });
  const [model] = await server.models();
  const names = await openSourceNames(server, model!);
  const naming = createNaming(names);
  const state = createPatternState({
    naming,
    sources: signal([server]),
    isShown: signal(true),
    text,
    settings: usualSettings,
    onNames: (found) => names.remember(found),
  });
  closers.push(() => state.close());
  return { state, asked, naming };
}

const settled = async (state: PatternState): Promise<void> => {
  await vi.waitFor(() =>
    expect([state.isAsking.value, state.findings.value.answers.length]).toEqual([false, 1]),
  );
};
const relation = 0 as Parameters<typeof setRelation>[2];

it('asks what is drawn once each link has a relation, and not again for a node that is moved', async () => {
  const { state, asked } = await open();
  state.change(addLink(state.drawing.value, 1, 2), 3);
  expect([state.isOpen.value, state.isAskable.value, state.selected.value]).toEqual([true, false, 3]);
  state.change(setRelation(state.drawing.value, 3, relation));
  await settled(state);
  expect(asked).toEqual(['?x, ?y : "relation 0"(?x, ?y)']);
  const { columns, rows, suggestions } = state.findings.value.answers[0]!.answer;
  expect(columns).toEqual(['x', 'y']);
  expect(rows.length + suggestions.length).toBeGreaterThan(0);
  await vi.waitFor(() => expect(state.typed.text.value).toBe('?x, ?y : "relation 0"(?x, ?y)'));
  state.change(moveNode(state.drawing.value, 1, { x: 0.5, y: 0.1 }));
  await settled(state);
  expect(asked).toHaveLength(1);
  state.change(toggleAnswer(state.drawing.value, 2));
  await vi.waitFor(() => expect(asked).toHaveLength(2));
  await settled(state);
  expect(state.findings.value.answers[0]!.answer.columns).toEqual(['x']);
  expect(writeTable(state.findings.value.answers[0]!.answer).split('\r\n')[0]).toBe(
    'kind,x,x key,degree,state',
  );
});

it('draws what is typed, and undoes it; what cannot be read leaves the drawing as it is', async () => {
  const { state } = await open();
  state.typed.type('?a : r0(?a, ?b), r1(?b, ?a)');
  expect(state.isTextUnread.value).toBe(true);
  await vi.waitFor(() => expect(state.drawing.value.links).toHaveLength(2));
  await settled(state);
  expect([state.isTextUnread.value, state.typed.written.value]).toEqual([
    false,
    '?a : r0(?a, ?b), r1(?b, ?a)',
  ]);
  const drawn = state.drawing.value;
  state.typed.type('?a : r0(?a, nobody)');
  await vi.waitFor(() => expect(state.typed.fault.value).toMatchObject({ code: 'vocabulary' }));
  expect([state.drawing.value, state.typed.written.value]).toEqual([drawn, '?a : r0(?a, ?b), r1(?b, ?a)']);
  state.undo();
  expect(state.drawing.value.links).toEqual([]);
  await vi.waitFor(() => expect([state.typed.text.value, state.typed.fault.value]).toEqual(['', undefined]));
  state.redo();
  expect(lastId(state.drawing.value)).toBe(lastId(drawn));
});

it('shows the pattern of a question in words, and asks it and edits of it on request only', async () => {
  const { state, asked } = await open();
  state.begin('?a : r0(?a, ?b)');
  await settled(state);
  state.hold({ by: 'templates', count: true, text: '?x : r1(?x, ?y)' });
  await vi.waitFor(() => expect(state.isHeld.value).toBe(true));
  state.change(toggleAnswer(state.drawing.value, state.drawing.value.nodes[1]!.id));
  await vi.waitFor(() => expect(state.typed.written.value).toBe('?x, ?y : "relation 1"(?x, ?y)'));
  expect([state.isHeld.value, state.isAsking.value, asked.length, state.counts.value]).toEqual([
    true,
    false,
    1,
    true,
  ]);
  state.release();
  await settled(state);
  expect(asked.at(-1)).toBe('?x, ?y : "relation 1"(?x, ?y)');
  // What was asked before is asked when it comes back.
  state.hold({ by: 'translator', count: false, text: '?x : r2(?x, ?y)' });
  await vi.waitFor(() => expect(state.isHeld.value).toBe(true));
  state.undo();
  expect(state.isHeld.value).toBe(false);
  state.redo();
  expect(state.isHeld.value).toBe(true);
});

it('holds a pattern in words also where its text has to be mended first', async () => {
  const { state, asked } = await open();
  state.hold({ by: 'translator', count: false, text: '?x : r1(?x, nobody)' });
  await vi.waitFor(() => expect(state.typed.fault.value).toMatchObject({ code: 'vocabulary' }));
  state.typed.type('?x : r1(?x, e1)');
  await vi.waitFor(() => expect(state.isAskable.value).toBe(true));
  expect([state.isHeld.value, asked]).toEqual([true, []]);
});

it('says what a pattern lacks without asking anybody', async () => {
  const { state, asked } = await open();
  const { drawing } = state;
  state.change(setRelation(addLink(drawing.value, 1, 2), 3, relation));
  await settled(state);
  state.change({
    ...drawing.value,
    links: drawing.value.links.map((link) => ({ ...link, isNegated: true })),
  });
  await vi.waitFor(() => expect(state.fault.value?.message).toMatch(/only under "not"/));
  expect([asked.length, state.findings.value.answers]).toEqual([1, []]);
});

it('opens the pattern of a link', async () => {
  const pattern = 'r0(e1, e2)';
  const { state, naming } = await open(pattern);
  await settled(state);
  expect(state.findings.value.answers[0]!.answer.columns).toEqual([]);
  const hash = await writeAddress(
    { question: emptyQuestion, pattern, settings: { ...usualSettings, k: 20 } },
    naming,
  );
  expect(hash).toBe('v=1&p=r0%28e1%2C+e2%29&k=20');
  expect(await readAddress(`#${hash}`, naming)).toEqual({
    question: emptyQuestion,
    pattern,
    settings: { k: 20, exclude: 'none' },
  });
  await expect(readAddress(`#v=1&p=${'a'.repeat(20_000)}`, naming)).rejects.toThrow(
    'expected p to be at most',
  );
});
