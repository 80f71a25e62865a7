import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { batchesOf } from '../testing/read-store.ts';
import { type FollowedFacts, openFollowedFacts } from './open-followed-facts.ts';

const fact = (tail: string) => ({ does: 'add' as const, head: 'a', relation: 'r', tail });
const line = (epoch: number, tail = `t${epoch}`): string =>
  `${JSON.stringify({ epoch, at: '2026-11-28T12:00:00Z', changes: [fact(tail)] })}\n`;

/** What a server answers; the last is answered again and again. */
type Answer = (response: ServerResponse, request: IncomingMessage) => void;
const says =
  (epoch: number, text: string, status = 200, id = 'store-one'): Answer =>
  (response) =>
    response.writeHead(status, { 'fuzzqe-epoch': epoch, 'fuzzqe-store': id }).end(text);

let server: Server;
let answers: Answer[] = [];
let asked: string[] = [];
let store: FollowedFacts | undefined;
const said: string[] = [];
const url = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

beforeEach(async () => {
  asked = [];
  said.length = 0;
  server = createServer((request, response) => {
    asked.push(request.url ?? '');
    (answers.length > 1 ? answers.shift()! : answers[0]!)(response, request);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  await store?.close();
  store = undefined;
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});
const open = async (patience = 0): Promise<FollowedFacts> => {
  store = await openFollowedFacts(url(), { patience, log: (text) => said.push(text) });
  return store;
};
const held: Answer = () => undefined;

it('asks after the last batch, and waits at the server', async () => {
  answers = [says(2, line(1) + line(2)), says(3, line(3)), held];
  const facts = await open();
  const heard: number[] = [];
  facts.arrivals((epoch) => heard.push(epoch));
  await vi.waitFor(() => expect(facts.epoch).toBe(3));
  expect((await batchesOf(facts)).map(({ epoch, changes }) => [epoch, changes])).toEqual(
    [1, 2, 3].map((epoch) => [epoch, [fact(`t${epoch}`)]]),
  );
  expect((await batchesOf(facts, 2)).map(({ epoch }) => epoch)).toEqual([3]);
  await vi.waitFor(() =>
    expect(asked).toEqual([
      '/v1/facts?since=0&wait=0',
      '/v1/facts?since=2&wait=20',
      '/v1/facts?since=3&wait=20',
    ]),
  );
  await facts.close();
  expect(() => facts.since(0)).toThrow('closed');
  await facts.close();
});

it.each<[string, Answer]>([
  ['an epoch twice', says(3, line(2))],
  ['a gap', says(4, line(4))],
  ['no JSON', says(3, 'x\n')],
  ['no batch', says(3, '{"epoch":3}\n')],
  ['a lower epoch', says(1, '')],
  ['another store', says(3, line(3), 200, 'store-two')],
  ['another store by status', says(0, '', 409, 'store-two')],
  ['a refused key', says(3, '', 401)],
  ['another page', (response) => void response.writeHead(200).end('<html>')],
])('refuses %s, says so once, and keeps what it has', async (_, answer) => {
  answers = [says(2, line(1) + line(2)), answer];
  const facts = await open();
  await vi.waitFor(() => expect(facts.follows.state).toBe('refused'));
  expect((await batchesOf(facts)).map(({ epoch }) => epoch)).toEqual([1, 2]);
  expect(said.length).toBe(1);
});

it.each<[string, Answer]>([
  ['an answer that breaks off', says(3, line(3).slice(0, 30))],
  ['an answer without the last batch', says(3, '')],
  ['a connection that ends', (response) => void response.socket?.destroy()],
  ['503', says(2, '', 503)],
])('asks again after %s', async (_, answer) => {
  answers = [says(2, line(1) + line(2)), answer, says(3, line(3)), held];
  const facts = await open();
  await vi.waitFor(() => expect(facts.epoch).toBe(3));
  await vi.waitFor(() => expect(facts.follows.state).toBe('following'));
  expect(said.map((text) => text.includes('again'))).toEqual([false, true]);
  expect(facts.follows.heardSeconds).toBeLessThan(5);
});

it('takes the result of compaction whole or not at all', async () => {
  answers = [
    says(2, line(1) + line(2)),
    says(9, '', 422),
    says(9, line(7, 'part')),
    says(9, '', 422),
    says(9, line(8, 'x') + line(9, 'y')),
    held,
  ];
  const facts = await open();
  const seen: number[] = [];
  facts.arrivals((epoch) => seen.push(epoch));
  await vi.waitFor(() => expect(facts.epoch).toBe(9));
  expect(seen).toEqual([9]);
  expect((await batchesOf(facts)).map(({ epoch }) => epoch)).toEqual([8, 9]);
});

it('asks no more than ten times a second of a server that waits for nothing', async () => {
  answers = [says(1, line(1)), says(1, '')];
  await open();
  await vi.waitFor(() => expect(asked.length).toBeGreaterThan(4), 5000);
  const began = performance.now();
  const before = asked.length;
  await vi.waitFor(() => expect(asked.length).toBeGreaterThan(before + 4), 5000);
  expect(performance.now() - began).toBeGreaterThan(300);
});

it('waits at its start for a server that is away, but not for ever', async () => {
  answers = [says(0, '', 503), says(1, line(1)), held];
  expect((await open(10_000)).epoch).toBe(1);
  await store?.close();
  answers = [says(0, '', 503)];
  await expect(open(50)).rejects.toMatchObject({ code: 'runtime', passing: true });
});
