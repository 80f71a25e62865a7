import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { openTracing, type Tracing } from './tracing.ts';

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
