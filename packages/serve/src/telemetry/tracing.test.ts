import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { FuzzError } from '@fuzzqe/core';
import { describe, expect, it } from 'vitest';
import { openTracing, type Tracing, type TracingOptions } from './tracing.ts';

const asked = { method: 'GET', path: '/' };

/** As many spans as are sent at once, without waiting for more. */
function endSpans(tracing: Tracing): void {
  for (let i = 0; i < 512; i += 1)
    tracing.start({ method: 'GET', path: '/', traceparent: undefined }).end({ route: '/', status: 200 });
}

describe('traces', () => {
  it('that do not arrive are told of once, and once when they do again', async () => {
    let status = 400;
    let asked = 0;
    const collector = createServer((incoming, outgoing) => {
      asked += 1;
      incoming.resume();
      outgoing.writeHead(status, { 'content-type': 'application/json' }).end('{}');
    }).listen(0, '127.0.0.1');
    await once(collector, 'listening');
    const { port } = collector.address() as AddressInfo; // of TCP
    const heard: [boolean, unknown][] = [];
    const tracing = await openTracing({
      endpoint: `http://127.0.0.1:${port}`,
      ratio: 1,
      onChange: (...change) => heard.push(change),
    });
    const send = async (): Promise<void> => {
      const before = asked;
      endSpans(tracing);
      await expect.poll(() => asked).toBe(before + 1);
    };
    await send();
    await expect.poll(() => heard).toEqual([[false, expect.any(Error)]]);
    await send();
    status = 200;
    await send();
    await expect
      .poll(() => heard)
      .toEqual([
        [false, expect.any(Error)],
        [true, undefined],
      ]);
    await send();
    await tracing.close();
    expect(heard).toHaveLength(2);
    collector.close();
    collector.closeAllConnections();
  });

  it('are by the conventions for spans of HTTP servers', async () => {
    let body = '';
    const collector = createServer(async (incoming, outgoing) => {
      for await (const chunk of incoming) body += chunk;
      outgoing.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    }).listen(0, '127.0.0.1');
    await once(collector, 'listening');
    const { port } = collector.address() as AddressInfo; // of TCP
    const tracing = await openTracing({ endpoint: `http://127.0.0.1:${port}`, ratio: 1 });
    const parents = [
      `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`,
      // Of a version to come, which may say more.
      `01-${'a'.repeat(32)}-${'b'.repeat(16)}-01-more`,
      `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01-more`,
      `ff-${'a'.repeat(32)}-${'b'.repeat(16)}-01`,
    ];
    const begin = (method: string, traceparent?: string) =>
      tracing.start({ method, path: '/v1/entities/5', traceparent });
    begin('GET', parents[0]).end({ route: '/v1/entities/:id', status: 200 });
    begin('GET', parents[1]).end({ route: undefined, status: 404 });
    const error = new FuzzError('bundle', 'a file is missing');
    begin('POST', parents[2]).end({ route: '/v1/query', status: 500, error });
    begin('PROPFIND', parents[3]).end({ route: undefined, status: 405 });
    await tracing.close();
    const [{ scopeSpans }] = JSON.parse(body).resourceSpans;
    const seen = scopeSpans[0].spans.map(
      (span: {
        name: string;
        kind: number;
        traceId: string;
        status: { code: number };
        attributes: { key: string; value: { stringValue?: string; intValue?: number } }[];
      }) => ({
        name: span.name,
        kind: span.kind,
        isBelow: span.traceId === 'a'.repeat(32),
        isError: span.status.code === 2,
        ...Object.fromEntries(
          span.attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue]),
        ),
      }),
    );
    const always = { kind: 2, 'url.scheme': 'http', 'url.path': '/v1/entities/5' };
    expect(seen).toEqual([
      {
        ...{ ...always, name: 'GET /v1/entities/:id', isBelow: true, isError: false },
        ...{ 'http.request.method': 'GET', 'http.route': '/v1/entities/:id' },
        'http.response.status_code': 200,
      },
      {
        ...{ ...always, name: 'GET', isBelow: true, isError: false },
        ...{ 'http.request.method': 'GET', 'http.response.status_code': 404 },
      },
      {
        ...{ ...always, name: 'POST /v1/query', isBelow: false, isError: true },
        ...{ 'http.request.method': 'POST', 'http.route': '/v1/query' },
        ...{ 'http.response.status_code': 500, 'error.type': '500' },
      },
      {
        ...{ ...always, name: 'HTTP', isBelow: false, isError: false },
        ...{ 'http.request.method': '_OTHER', 'http.request.method_original': 'PROPFIND' },
        'http.response.status_code': 405,
      },
    ]);
    collector.close();
    collector.closeAllConnections();
  });

  it('pass on what other tracers of the trace say of it, and nothing of a trace that is none', async () => {
    let body = '';
    const collector = createServer(async (incoming, outgoing) => {
      for await (const chunk of incoming) body += chunk;
      outgoing.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    }).listen(0, '127.0.0.1');
    await once(collector, 'listening');
    const { port } = collector.address() as AddressInfo; // of TCP
    const tracing = await openTracing({ endpoint: `http://127.0.0.1:${port}` });
    const states = ['vendor=a1,other=b2', undefined, 'no state'];
    for (const tracestate of states)
      tracing
        .start({ ...asked, traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`, tracestate })
        .end({ route: '/', status: 200 });
    tracing.start({ ...asked, traceparent: 'none', tracestate: states[0] }).end({ route: '/', status: 200 });
    await tracing.close();
    const [{ scopeSpans }] = JSON.parse(body).resourceSpans;
    const told = scopeSpans[0].spans.map(({ traceState = '' }: { traceState?: string }) => traceState);
    expect(told).toEqual([states[0], '', '', '']);
    collector.close();
    collector.closeAllConnections();
  });

  it.each([
    ['$.ratio', { ratio: Number.NaN }],
    ['$.ratio', { ratio: '1' }],
    ['$.ratio', { ratio: 2 }],
    ['$.ration', { ration: 1 }],
  ])('are refused %s of %j, by which none would be kept', async (path, change) => {
    const options = { endpoint: 'http://localhost:4318', ...change } as TracingOptions; // of callers without types
    await expect(openTracing(options)).rejects.toMatchObject({ code: 'usage', path });
  });

  it.each([
    'notaurl',
    'localhost:4318',
    'http://localhost:4318/v1/traces/',
    'grpc://localhost:4317',
    'http://a/?b',
  ])('go to the address of a collector, which this is none: %s', async (endpoint) => {
    await expect(openTracing({ endpoint, ratio: 1 })).rejects.toMatchObject({
      code: 'config',
      message: expect.stringMatching(/^expected the http or https address of a collector .*, got "/),
    });
  });
});
