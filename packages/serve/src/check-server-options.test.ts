import { createServer } from 'node:http';
import { createModelRegistry } from '@fuzzqe/api';
import { describe, expect, it } from 'vitest';
import { createLog, type ServerOptions, startServer } from './index.ts';

const start = async (change: object): Promise<void> => {
  // Callers without types can ask so.
  const options = { models: createModelRegistry(), port: 0, closeNotice: 0, ...change } as ServerOptions;
  await (await startServer(options)).close();
};

describe('startServer', () => {
  it.each<[string, object, string]>([
    ['$.maxInFlight', { maxInFlight: Number.NaN }, 'expected a number of at least 0, got NaN'],
    ['$.maxConnections', { maxConnections: -1 }, 'got -1'],
    ['$.keepAliveTimeout', { keepAliveTimeout: -1 }, 'expected an integer in [0, 86400000], got -1'],
    ['$.headersTimeout', { headersTimeout: Number.NaN }, 'got NaN'],
    ['$.requestTimeout', { requestTimeout: 1.5 }, 'got 1.5'],
    ['$.idleTimeout', { idleTimeout: Number.POSITIVE_INFINITY }, 'got Infinity'],
    ['$.drainTimeout', { drainTimeout: '5' }, 'got "5"'],
    ['$.host', { host: 5 }, 'got 5'],
    ['$.allowHost', { allowHost: 'x' }, 'expected an array of texts, got "x"'],
    ['$.keys', { keys: {} }, 'expected a function, got {}'],
    ['$.api', { api: 5 }, 'expected an object, got 5'],
    ['$.api.bodyLimit', { api: { bodyLimit: Number.NaN } }, 'got NaN'],
    ['$.api.maxK', { api: { maxK: -1 } }, 'got -1'],
    [
      '$.api.cors',
      { api: { cors: 1 } },
      'expected an origin such as https://graph.example, without a path, or *; or an array of them, got 1',
    ],
    ['$.api.mount', { api: { mount: [{}] } }, 'got [{}]'],
    ['$.rateLimit.perSecond', { rateLimit: { perSecond: Number.NaN, burst: 1 } }, 'got NaN'],
    ['$.rateLimit.perSecond', { rateLimit: { perSecond: -1, burst: 1 } }, 'got -1'],
    ['$.rateLimit.burst', { rateLimit: { perSecond: 1 } }, 'expected a number of at least 1, got NaN'],
    ['$.log', { log: {} }, 'expected a log, as createLog makes one, got {}'],
    ['$.tracing', { tracing: {} }, 'got {}'],
    ['$.prt', { prt: 80 }, 'prt: expected no such key'],
    ['$.rateLimit.perMinute', { rateLimit: { perSecond: 1, burst: 1, perMinute: 1 } }, 'no such key'],
    ['$.api.bodyLimt', { api: { bodyLimt: 1 } }, 'no such key'],
    // A server has its own, which would pass over those of its caller.
    ['$.api.onError', { api: { onError: () => {} } }, 'no such key'],
    ['$.api.middleware', { api: { middleware: [] } }, 'no such key'],
  ])('refuses %s of %j', async (path, change, message) => {
    await expect(start(change)).rejects.toMatchObject({
      ...{ code: 'usage', path, message: expect.stringContaining(message) },
    });
  });

  it.each([99_999, -1, Number.NaN, 1.5, '80'])('refuses the port %j', async (port) => {
    await expect(start({ port })).rejects.toMatchObject({
      ...{ code: 'runtime', path: '$.port' },
      message: expect.stringContaining('port: expected an integer in [0, 65535], got '),
    });
  });

  it.each([undefined, null, {}, 'countries'])('refuses to serve %j', async (models) => {
    await expect(start({ models })).rejects.toMatchObject({ code: 'usage', path: '$.models' });
  });

  it.each<[object, string]>([
    [{ level: 'loud' }, '$.level'],
    [{ write: 'x' }, '$.write'],
    [{ levle: 'warn' }, '$.levle'],
  ])('refuses a log of %j', (options, path) => {
    expect(() => createLog(options)).toThrow(expect.objectContaining({ code: 'usage', path }));
  });

  it('takes no limits', async () => {
    const none = Number.POSITIVE_INFINITY;
    await start({
      maxInFlight: none,
      maxConnections: none,
      api: { maxK: none, bodyLimit: none, timeout: none },
    });
  });

  it('leaves nothing that waits for the end of the process, also where it cannot start', async () => {
    // The library of the log has one of its own from the first on.
    await start({});
    const before = process.listenerCount('exit');
    for (let i = 0; i < 3; i += 1) await start({});
    expect(process.listenerCount('exit')).toBe(before);
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as { port: number };
    await expect(start({ port })).rejects.toMatchObject({ code: 'runtime' });
    expect(process.listenerCount('exit')).toBe(before);
    other.close();
  });

  it('closes no log of its caller', async () => {
    let closed = 0;
    const log = { ...createLog({ level: 'silent', write: () => {} }), close: () => void closed++ };
    await start({ log });
    await expect(start({ log, port: -1 })).rejects.toThrow('port');
    expect(closed).toBe(0);
  });
});
