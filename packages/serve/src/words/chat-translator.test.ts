import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FuzzError } from '@fuzzqe/core';
import { tooLate } from '@fuzzqe/engine';
import { afterEach, describe, expect, it } from 'vitest';
import { chatTranslator } from './chat-translator.ts';
import { translatorOf } from './translator-of.ts';

type Reply = (request: IncomingMessage, response: ServerResponse, body: string) => void;

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** An endpoint on a free port. */
async function endpoint(reply: Reply): Promise<string> {
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => reply(request, response, body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

const json =
  (value: unknown): Reply =>
  (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  };
const messages = [{ role: 'user', content: 'Which?' }] as const;
const { signal } = new AbortController();
const errorOf = (promise: Promise<string>): Promise<FuzzError> =>
  promise.then(
    (text) => expect.fail(text),
    (error: FuzzError) => error,
  );

describe('a translator of an endpoint', () => {
  it('sends the model, the messages and the key, and gives the reply', async () => {
    const asked: unknown[] = [];
    const url = await endpoint((request, response, body) => {
      const { url, method, headers } = request;
      asked.push({ url, method, key: headers.authorization, ...JSON.parse(body) });
      json({ id: 'a', choices: [{ index: 0, message: { role: 'assistant', content: 'a pattern' } }] })(
        request,
        response,
        body,
      );
    });
    expect(await chatTranslator({ url: `${url}/`, model: 'small', key: 'secret' })(messages, signal)).toBe(
      'a pattern',
    );
    expect(await chatTranslator({ url, model: 'small' })(messages, signal)).toBe('a pattern');
    const sent = { url: '/v1/chat/completions', method: 'POST', model: 'small', messages, temperature: 0 };
    expect(asked).toMatchObject([{ ...sent, key: 'Bearer secret' }, sent]);
    expect(asked[1]).toHaveProperty('key', undefined);
  });

  it.each<[string, Reply, string]>([
    [
      'an error',
      (_, response) => void response.writeHead(500).end('out of order'),
      'it answered 500: out of order',
    ],
    ['no JSON', (_, response) => void response.end('<html>'), 'its reply has another form: <html>'],
    ['no choice', json({ choices: [] }), 'its reply has another form'],
    ['no text', json({ choices: [{ message: { content: null } }] }), 'its reply has another form'],
    [
      'a redirect',
      (_, response) => void response.writeHead(302, { location: 'http://127.0.0.1:9/' }).end(),
      'expected a reply',
    ],
    ['a flood', (_, response) => void response.end('x'.repeat(300_000)), 'longer than 262144 bytes'],
    ['an end', (_, response) => void response.destroy(), 'expected a reply'],
  ])('is asked once and refuses %s', async (_, reply, said) => {
    let calls = 0;
    const url = await endpoint((...given) => {
      calls += 1;
      reply(...given);
    });
    const error = await errorOf(chatTranslator({ url, model: 'm', key: 'secret' })(messages, signal));
    expect([error.code, error.passing, calls]).toEqual(['runtime', true, 1]);
    expect(error.message).toContain(said);
    // Callers hear nothing of the address, and nobody of the key.
    expect(error.toCallers).toBe('The translator of questions does not answer.');
    expect(`${error}`).not.toContain('secret');
  });

  it('that does not answer is given up in time, and when the client goes', async () => {
    const url = await endpoint(() => undefined);
    expect((await errorOf(chatTranslator({ url, model: 'm', timeout: 30 })(messages, signal))).code).toBe(
      'deadline',
    );
    const late = AbortSignal.timeout(30);
    expect((await errorOf(chatTranslator({ url, model: 'm' })(messages, late))).code).toBe('deadline');
    // The limits of a request raise their own error.
    const ending = new AbortController();
    setTimeout(() => ending.abort(tooLate()), 20);
    const overdue = await errorOf(chatTranslator({ url, model: 'm' })(messages, ending.signal));
    expect(overdue.code).toBe('deadline');
    const gone = new AbortController();
    setTimeout(() => gone.abort(), 30);
    expect((await errorOf(chatTranslator({ url, model: 'm' })(messages, gone.signal))).code).toBe(
      'interrupted',
    );
  });

  it.each(['file:///etc', 'api.example', 'http://a/?b=c'])('refuses the address %s', (url) => {
    expect(() => chatTranslator({ url, model: 'm' })).toThrow('expected an address of HTTP');
  });

  it('is of the settings that name an address and a model', async () => {
    const url = await endpoint((request, ...rest) =>
      json({ choices: [{ message: { content: request.headers.authorization ?? 'no key' } }] })(
        request,
        ...rest,
      ),
    );
    const of = (environment: Record<string, string>) =>
      translatorOf({ translator: url, translatorModel: 'm' }, environment);
    expect(await of({ FUZZQE_TRANSLATOR_KEY: 'k' })?.(messages, signal)).toBe('Bearer k');
    expect(await of({})?.(messages, signal)).toBe('no key');
    expect(translatorOf({ translator: undefined, translatorModel: undefined }, {})).toBeUndefined();
    for (const half of [
      { translator: url, translatorModel: undefined },
      { translator: undefined, translatorModel: 'm' },
    ])
      expect(() => translatorOf(half, {})).toThrow('expected an address and a model');
  });
});
