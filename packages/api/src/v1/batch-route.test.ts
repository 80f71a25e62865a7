import { setTimeout as sleep } from 'node:timers/promises';
import { FuzzError, type Steps } from '@fuzzqe/core';
import { parseQueryText } from '@fuzzqe/core/query';
import { type AnswerOptions, type Engine, openEngine } from '@fuzzqe/engine';
import { memoryBundle, referenceSessions } from '@fuzzqe/engine/testing';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { beforeAll, describe, expect, it } from 'vitest';
import { documentation } from '../documentation/index.ts';
import { type App, createApp, createModelRegistry } from '../index.ts';
import { checkResponses, type ResponseCheck } from '../testing/index.ts';

const headers = { 'content-type': 'application/x-ndjson' };
/** Instead of closing the engine that all tests share. */
const keptOpen = (): Promise<void> => Promise.resolve();
const encoder = new TextEncoder();

describe('POST /v1/query/batch', () => {
  let engine: Engine;
  let app: App;
  let check: ResponseCheck['check'];
  beforeAll(async () => {
    const { source, config, parameters } = await memoryBundle();
    engine = await openEngine({ source, sessions: referenceSessions(config, parameters) });
    app = createApp(engine, { mount: [documentation()] });
    const openapi = await (await app.request('/openapi.json')).json();
    check = checkResponses(app, openapi, new Ajv2020({ strict: false })).check;
  });
  const post = async (body: BodyInit, on: App = app): Promise<Response> =>
    on.request('/v1/query/batch', { method: 'POST', headers, body, duplex: 'half' } as RequestInit);
  const linesOf = async (response: Response): Promise<Record<string, unknown>[]> => {
    const text = await response.text();
    expect(text === '' || text.endsWith('\n')).toBe(true);
    const lines = text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line));
    const type = response.headers.get('content-type') ?? '';
    for (const line of lines) check('POST', '/v1/query/batch', response.status, type, line);
    return lines;
  };
  /** A body that is sent by hand. */
  const byHand = (): {
    stream: ReadableStream<Uint8Array>;
    send: (text: string) => void;
    end: () => void;
    gone: () => boolean;
  } => {
    let gone = false;
    let controller: ReadableStreamDefaultController<Uint8Array>;
    const stream = new ReadableStream<Uint8Array>({
      start(given) {
        controller = given;
      },
      cancel() {
        gone = true;
      },
    });
    return {
      stream,
      send: (text) => controller.enqueue(encoder.encode(text)),
      end: () => controller.close(),
      gone: () => gone,
    };
  };
  /** An engine whose answers wait for a word. */
  const waiting = (): {
    engine: Engine;
    asked: () => number;
    most: () => number;
    signals: AbortSignal[];
    go: () => void;
  } => {
    const open: (() => void)[] = [];
    const signals: AbortSignal[] = [];
    let [asked, most] = [0, 0];
    const answer = async (query: unknown, options: { signal?: AbortSignal }): Promise<unknown> => {
      asked++;
      if (options.signal !== undefined) signals.push(options.signal);
      await new Promise<void>((resolve) => {
        open.push(resolve);
        most = Math.max(most, open.length);
      });
      return engine.answer(query as Parameters<Engine['answer']>[0], { k: 1 });
    };
    return {
      engine: { ...engine, answer: answer as Engine['answer'], close: keptOpen },
      asked: () => asked,
      most: () => most,
      signals,
      go: () => {
        for (const each of open.splice(0)) each();
      },
    };
  };

  it('answers each line as a query by itself, in their order', async () => {
    const queries = Array.from({ length: 70 }, (_, i) => ({ query: `project(r${i % 3}, e${i % 40})`, k: 2 }));
    const body = queries
      .map((each, i) => JSON.stringify({ ...each, id: i % 2 === 0 ? i : `q${i}` }))
      .join('\n');
    const response = await post(body);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/x-ndjson']);
    const lines = await linesOf(response);
    expect(lines.map(({ line, id }) => [line, id])).toEqual(
      queries.map((_, i) => [i + 1, i % 2 === 0 ? i : `q${i}`]),
    );
    const init = { method: 'POST', headers: { 'content-type': 'application/json' } };
    const single = await app.request('/v1/query', { ...init, body: JSON.stringify(queries[7]) });
    // Suggestions are for whoever asks for them.
    expect(lines[7]!['answer']).toEqual({
      ...(await single.json()),
      suggestions: [],
      warnings: expect.anything(),
    });
    const wide = { query: 'project(r0, e1)', k: 20 };
    const [asked] = await linesOf(await post(JSON.stringify({ ...wide, suggestions: true })));
    const again = await app.request('/v1/query', { ...init, body: JSON.stringify(wide) });
    expect(asked!['answer']).toEqual(await again.json());
    expect(asked).not.toHaveProperty('answer.suggestions', []);
  });

  it('goes on after lines that are wrong, and says what is wrong with each', async () => {
    const bad = [
      '{',
      '{"query":"e1","query":"e2"}',
      '[]',
      '{"query":"e99","id":"x"}',
      '{"query":"e1","id":[]}',
      '{"query":"e1","k":0}',
    ];
    const notUtf8 = Uint8Array.of(0x22, 0xff, 0x22);
    const good = '{"query":"e1"}';
    const text = encoder.encode(['', ...bad, good, ' \r', 'x'.repeat(600), good, ''].join('\n'));
    const body = new Uint8Array([...encoder.encode(`${good}\n`), ...notUtf8, ...text]);
    const lines = await linesOf(await post(body, createApp(engine, { bodyLimit: 500 })));
    expect(
      lines.map(({ line, id, problem }) => [line, id, (problem as { code: string } | undefined)?.code]),
    ).toEqual([
      [1, undefined, undefined],
      [2, undefined, 'encoding'],
      [3, undefined, 'syntax'],
      [4, undefined, 'syntax'],
      [5, undefined, 'query'],
      [6, 'x', 'vocabulary'],
      [7, undefined, 'query'],
      [8, undefined, 'range'],
      [9, undefined, undefined],
      [11, undefined, 'too-large'],
      [12, undefined, undefined],
    ]);
    expect(lines[6]!['problem']).toMatchObject({
      path: '$.id',
      detail: 'expected a string or a number, got []',
    });
    expect(lines[5]!['problem']).toEqual({
      status: 422,
      code: 'vocabulary',
      path: '$.query, line 1, column 1',
      detail: expect.stringContaining('"e99"'),
      hint: expect.stringContaining('"e9"'),
    });
  });

  it('answers while the client still sends', async () => {
    const { stream, send, end } = byHand();
    send('{"query":"e1"}\n{"que');
    const reader = (await post(stream)).body!.getReader();
    const first = await reader.read();
    expect(JSON.parse(new TextDecoder().decode(first.value))).toMatchObject({
      line: 1,
      answer: { mode: 'sets' },
    });
    send('ry":"e2"}');
    end();
    const second = await reader.read();
    expect(JSON.parse(new TextDecoder().decode(second.value))).toMatchObject({ line: 2 });
    expect((await reader.read()).done).toBe(true);
  });

  it('works on no more lines at once than it may, and on none that nobody reads', async () => {
    const slow = waiting();
    const body = '{"query":"e1"}\n'.repeat(20);
    const response = await post(body, createApp(slow.engine, { batchAtOnce: 4 }));
    await expect.poll(slow.asked).toBe(4);
    await sleep(20);
    expect(slow.asked()).toBe(4);
    slow.go();
    await sleep(20);
    expect(slow.asked()).toBe(4);
    const reading = linesOf(response);
    const going = setInterval(slow.go, 1);
    expect(await reading).toHaveLength(20);
    clearInterval(going);
    expect([slow.asked(), slow.most()]).toEqual([20, 4]);
  });

  it('gives up what is under way when the client goes away, and lets the model close', async () => {
    const models = createModelRegistry();
    const slow = waiting();
    await models.put('m', slow.engine, '1');
    const { stream, send, gone } = byHand();
    send('{"query":"e1"}\n{"query":"e2"}\n');
    const response = await post(stream, createApp(models));
    await expect.poll(() => slow.signals).toHaveLength(2);
    const replaced = models.put('m', { ...engine, close: keptOpen }, '2');
    const reader = response.body!.getReader();
    await reader.cancel();
    expect(slow.signals.map(({ aborted }) => aborted)).toEqual([true, true]);
    await replaced;
    send('{"query":"e3"}\n');
    await expect.poll(gone).toBe(true);
    await sleep(10);
    expect(slow.asked()).toBe(2);
  });

  it('ends with a problem where a batch is too large, and refuses one that says so', async () => {
    const line = '{"query":"e1","k":1}\n';
    const limited = createApp(engine, { batchLimit: 5 * line.length, batchLines: 3 });
    const announced = await limited.request('/v1/query/batch', {
      method: 'POST',
      headers: { ...headers, 'content-length': String(6 * line.length) },
      body: line.repeat(6),
    });
    expect([announced.status, (await announced.json()).code]).toEqual([413, 'too-large']);
    const many = await linesOf(await post(line.repeat(5), limited));
    expect(many.map((each) => Object.keys(each))).toEqual([
      ...new Array(3).fill(['line', 'answer']),
      ['problem'],
    ]);
    expect(many[3]).toMatchObject({ problem: { status: 413, detail: expect.stringContaining('3 lines') } });
    // What follows is read all the same, so that the connection can be kept.
    let left = 5;
    const body = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          if (left-- > 0) controller.enqueue(new TextEncoder().encode(line));
          else controller.close();
        },
      },
      { highWaterMark: 0 },
    );
    expect(await linesOf(await post(body, limited))).toHaveLength(4);
    expect(left).toBe(-1);
    const { stream, send } = byHand();
    send(`${line}${' '.repeat(100)}`);
    const long = await linesOf(await post(stream, limited));
    expect(long.at(-1)).toMatchObject({ problem: { status: 413, detail: expect.stringContaining('bytes') } });
  });

  it.each(['0', '{}', '[]', '"', '€', '\u0000', '{"query":"e99"}', '{"id":1e20}'])(
    'answers lines of %j with no more than twenty times what was sent and 4 KiB, whatever their number',
    async (line) => {
      for (const count of [1, 20, 150, 10_000]) {
        const body = encoder.encode(`${line}\n`.repeat(count));
        const text = await (await post(body)).text();
        expect([count, encoder.encode(text).length / (20 * body.length + 4096)]).toEqual([
          count,
          expect.toSatisfy((share: number) => share <= 1),
        ]);
      }
    },
  );

  it('ends a batch of lines that are no requests, and says from which on nothing is answered', async () => {
    const lines = await linesOf(await post(`${'0\n'.repeat(150)}{"query":"e1"}\n`));
    expect(lines.slice(0, -1).map(({ line }) => line)).toEqual(lines.slice(0, -1).map((_, i) => i + 1));
    expect(lines.at(-2)!['problem']).toEqual({ status: 400, code: 'query' });
    expect(lines.at(-1)).toEqual({
      problem: {
        status: 400,
        code: 'query',
        detail: `expected requests, got other lines; nothing from line ${lines.length} on is answered`,
        hint: expect.any(String),
      },
    });
    // Empty lines have no answer, and whoever sends requests gets one to each.
    expect(await (await post('\n'.repeat(100_000))).text()).toBe('');
    expect(await linesOf(await post(`${'0\n'.repeat(10)}{"query":"e1"}\n`.repeat(20)))).toHaveLength(220);
    expect(await linesOf(await post('{"query":0}\n'.repeat(3000)))).toHaveLength(3000);
  });

  it('tells the first hundred problems in full and the others in short', async () => {
    const lines = await linesOf(await post('{"query":"project(r0, "}\n'.repeat(150)));
    expect(lines).toHaveLength(150);
    expect(lines[99]!['problem']).toMatchObject({ detail: expect.any(String) });
    expect(lines[100]!['problem']).toEqual({ status: 400, code: 'query' });
  });

  it('lets others have the event loop while lines fail, and looks for near names only where they are told', async () => {
    let searches = 0;
    function* nearNames(): Steps<readonly string[]> {
      searches += 1;
      for (let piece = 0; piece < 3; piece++) {
        yield;
        const end = performance.now() + 1;
        while (performance.now() < end);
      }
      return [];
    }
    const vocabulary = { ...engine.vocabulary, nearNames };
    let turns = 0;
    const turning = setInterval(() => turns++, 1);
    const warnings: Error[] = [];
    const warned = (warning: Error): void => void warnings.push(warning);
    process.on('warning', warned);
    const on = createApp({ ...engine, vocabulary });
    const lines = await Promise.all(
      [1, 2].map(async () => linesOf(await post('{"query":"nobody"}\n'.repeat(120), on))),
    );
    clearInterval(turning);
    process.off('warning', warned);
    expect(warnings).toEqual([]);
    expect(lines.map(({ length }) => length)).toEqual([120, 120]);
    // A few may be searched for before the hundredth problem is told.
    expect(searches).toBeGreaterThanOrEqual(200);
    expect(searches).toBeLessThan(220);
    expect(turns).toBeGreaterThan(50);
  });

  it('waits for room where more is waiting than may wait, and tells faults of the server without their words', async () => {
    const heard: unknown[] = [];
    let refusals = 0;
    const again: unknown[] = [];
    const answer = async (query: { op: string }, { asksAgain }: AnswerOptions): Promise<unknown> => {
      if (query.op === 'not') throw new Error('secret');
      again.push(asksAgain);
      if (refusals++ < 1) throw new FuzzError('overloaded', 'the queue is full');
      return engine.answer(query as Parameters<Engine['answer']>[0], { k: 1 });
    };
    const on = createApp(
      { ...engine, answer: answer as Engine['answer'] },
      { onError: (error, _, of) => heard.push([error, of]) },
    );
    const lines = await linesOf(await post('{"query":"e1"}\n{"query":"not(e1)"}\n', on));
    expect(lines[0]).toHaveProperty('answer');
    expect(lines[1]).toMatchObject({ problem: { status: 500, code: 'internal' } });
    expect(JSON.stringify(lines)).not.toContain('secret');
    expect(heard).toEqual([[new Error('secret'), 'part']]);
    expect(again).toEqual([true, true]);
    const never = createApp({
      ...engine,
      answer: ((_: unknown, { asksAgain }: AnswerOptions) => {
        again.push(asksAgain);
        return Promise.reject(new FuzzError('overloaded', 'full'));
      }) as Engine['answer'],
    });
    const init = { method: 'POST', headers: { ...headers, 'x-timeout-ms': '50' }, body: '{"query":"e1"}' };
    const refused = await linesOf(await never.request('/v1/query/batch', init));
    expect(refused[0]).toMatchObject({ problem: { status: 429, code: 'overloaded' } });
    expect(again.slice(2)).toEqual([false]);
  });

  it('tells nobody of clients that break off, or allow too little time', async () => {
    const heard: unknown[] = [];
    const late = async (): Promise<never> => {
      throw new FuzzError('deadline', 'too late');
    };
    const on = createApp(
      { ...engine, answer: late as Engine['answer'] },
      { onError: (error) => heard.push(error) },
    );
    let pulls = 0;
    const broken = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (pulls++ === 0) controller.enqueue(encoder.encode('{"query":"e1"}\n'));
        else controller.error(Object.assign(new Error('aborted'), { code: 'ECONNRESET' }));
      },
    });
    const lines = await linesOf(await post(broken, on));
    expect(lines).toMatchObject([{ line: 1, problem: { code: 'deadline' } }, { problem: { status: 500 } }]);
    expect(heard).toEqual([]);
  });

  it('takes lines of JSON by any of their names, and nothing else', async () => {
    for (const type of ['application/jsonl', 'application/x-ndjson; charset=utf-8']) {
      const init = { method: 'POST', headers: { 'content-type': type }, body: '' };
      const response = await app.request('/v1/query/batch', init);
      expect([response.status, await response.text()]).toEqual([200, '']);
    }
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '[]' };
    expect((await app.request('/v1/query/batch', init)).status).toBe(415);
  });

  it('refuses what would take a batch over what all of it may cost, with the figure', async () => {
    const line = JSON.stringify({ query: 'project(r0, e1)' });
    const cost = engine.costOf(parseQueryText('project(r0, e1)', engine.vocabulary));
    const limited = createApp(engine, { batchCostLimit: 2.5 * cost });
    const answers = await linesOf(await post(`${line}\n`.repeat(4), limited));
    expect(answers.map(({ answer }) => answer !== undefined)).toEqual([true, true, false, false]);
    expect(answers[3]).toMatchObject({ problem: { status: 400, code: 'cost' } });
    expect(JSON.stringify(answers[3])).toMatch(/batch: expected a cost of at most [\d.]+ ms, got [\d.]+ ms/);
    expect(await linesOf(await post(`${line}\n`.repeat(4)))).not.toContainEqual(
      expect.objectContaining({ problem: expect.anything() }),
    );
  });
});
