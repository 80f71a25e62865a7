import { readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseQueryText } from '@fuzzqe/core/query';
import type { PatternRow } from '@fuzzqe/engine';
import { type TinyBundle, tinyBundle } from '@fuzzqe/parity/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Graph, open } from '../index.ts';

const tree = 'project("r 0", "e 1")';
const every = { k: 40, minDegree: 0 } as const;

let bundle: TinyBundle;
let graph: Graph;
beforeAll(async () => {
  bundle = await tinyBundle();
  graph = await open(bundle.directory);
});
afterAll(async () => {
  await graph.close();
  await rm(bundle.directory, { recursive: true, force: true });
});

/** The labels of rows with their degrees. */
const named = (rows: readonly PatternRow[]): readonly (readonly [label: string, degree: number])[] =>
  rows.map(({ entities, degree }) => [entities[0]!.label, degree]);

describe('a graph that is opened for questions', () => {
  it('answers a tree with the names and degrees of the engine, and the same pattern alike', async () => {
    const { columns, rows } = await graph.ask(tree, every);
    const { answers } = await graph.engine.answer(parseQueryText(tree, graph.engine.vocabulary), every);
    expect(named(rows)).toEqual(answers.map(({ label, degree }) => [label, degree]));
    expect(columns).toHaveLength(1);
    const pattern = await graph.ask('?y : "r 0"("e 1", ?y)', every);
    expect(pattern).toMatchObject({ columns: ['y'] });
    expect(named(pattern.rows)).toEqual(named(rows));
    const other = await graph.ask('project("r 0", "e 2")', every);
    expect(named(other.rows)).not.toEqual(named(rows));
  });

  it('reads words, and counts where that is asked', async () => {
    const asked = named((await graph.ask('what is r 0 of e 1', every)).rows);
    expect(asked).toEqual(named((await graph.ask('?x : "r 0"("e 1", ?x)', every)).rows));
    const pattern = await graph.ask(tree, { ...every, count: true });
    expect(pattern.counts?.expected).toBeGreaterThan(0);
    expect((await graph.ask(tree)).counts).toBeUndefined();
  });

  it('explains by the links that answers follow from, and does not unless asked', async () => {
    const { rows } = await graph.explain(tree, every);
    expect(rows.length).toBeGreaterThan(0);
    for (const { because } of rows) expect(because?.[0]?.links.length).toBeGreaterThan(0);
    expect((await graph.ask(tree, every)).rows[0]).not.toHaveProperty('because');
  });

  it('refuses what is no question, a wrong name and a wrong option, each with its path', async () => {
    await expect(graph.ask(undefined as never)).rejects.toMatchObject({ code: 'usage', path: '$.question' });
    await expect(graph.ask('project("r 0", Nobody)')).rejects.toMatchObject({ code: 'vocabulary' });
    await expect(graph.ask(tree, { top: 3 } as never)).rejects.toMatchObject({
      code: 'usage',
      path: '$.top',
    });
  });

  it('gives up with its signal, as AbortError', async () => {
    const signal = AbortSignal.abort();
    const aborted = { name: 'AbortError', code: 'interrupted', cause: signal.reason };
    await expect(graph.ask(tree, { signal })).rejects.toMatchObject(aborted);
    await expect(open(bundle.directory, { signal })).rejects.toMatchObject(aborted);
    expect(
      (await graph.ask(tree, { ...every, signal: new AbortController().signal })).rows.length,
    ).toBeGreaterThan(0);
  });

  it('is closed at the end of its block, and refuses then', async () => {
    const mine = await open(pathToFileURL(bundle.directory));
    expect((await mine.ask(tree)).columns).toHaveLength(1);
    await mine[Symbol.asyncDispose]();
    await expect(mine.ask(tree)).rejects.toMatchObject({ code: 'runtime', message: 'the engine is closed' });
  });

  it('says what it expects in place of what is no bundle', async () => {
    await expect(open(undefined as never)).rejects.toMatchObject({ code: 'usage', path: '$.bundle' });
    await expect(open(join(bundle.directory, 'none'))).rejects.toMatchObject({ code: 'bundle' });
    await expect(open(bundle.directory, { threads: 2 } as never)).rejects.toMatchObject({
      path: '$.threads',
    });
    await expect(open(bundle.directory, { profile: 'int4' })).rejects.toMatchObject({ code: 'usage' });
  });
});

describe('a graph behind an address', () => {
  let server: Server;
  let address: string;
  /** Answers to nobody where it is not to. */
  let isSilent = false;
  beforeAll(async () => {
    server = createServer(({ url }, response) => {
      if (isSilent) return;
      readFile(join(bundle.directory, decodeURIComponent(url!))).then(
        (bytes) => response.end(bytes),
        () => response.writeHead(404).end(),
      );
    });
    await new Promise<void>((settle) => server.listen(0, '127.0.0.1', settle));
    address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // of TCP
  });
  afterAll(() => {
    server.closeAllConnections();
    return new Promise((settle) => server.close(settle));
  });

  it('answers as that of its folder, also after the signal of the opening', async () => {
    const opening = new AbortController();
    const there = await open(address, { signal: opening.signal });
    opening.abort();
    const rows = named((await there.ask(tree, every)).rows);
    await there.close();
    const expected = named((await graph.ask(tree, every)).rows);
    expect(rows.map(([label]) => label)).toEqual(expected.map(([label]) => label));
    rows.forEach(([, degree], i) => {
      expect(degree).toBeCloseTo(expected[i]![1], 5);
    });
  });

  it('is given up while nobody answers, and not there where there is no bundle', async () => {
    await expect(open(`${address}/none`)).rejects.toMatchObject({ code: 'bundle' });
    isSilent = true;
    const signal = AbortSignal.timeout(50);
    await expect(open(address, { signal })).rejects.toMatchObject({ name: 'AbortError' });
    isSilent = false;
  });
});
