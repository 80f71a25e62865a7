import { type Engine, openEngine } from '@fuzzqe/engine';
import { memoryBundle, referenceSessions } from '@fuzzqe/engine/testing';
import { Hono } from 'hono';
import { beforeAll, describe, expect, it } from 'vitest';
import { type ApiEnv, type ApiPart, createApp, createModelRegistry, RequestError } from './index.ts';

const json = { 'content-type': 'application/json' };

describe('what is mounted', () => {
  let engine: Engine;
  beforeAll(async () => {
    const { source, config, parameters } = await memoryBundle();
    engine = await openEngine({ source, sessions: referenceSessions(config, parameters) });
  });
  const echo: ApiPart = {
    path: '/echo',
    endpoints: { 'GET /echo/name': 'says the name of the model' },
    routes({ models }) {
      const routes = new Hono<ApiEnv>();
      routes.get('/name', async (context) => context.text((await models.acquire()).name));
      routes.get('/fails', () => {
        throw new RequestError('not-found', 'nothing here', 'Look elsewhere.');
      });
      return routes;
    },
  };

  it('answers beside the API, with its errors and refusals', async () => {
    const app = createApp(engine, { mount: [echo] });
    expect(await (await app.request('/echo/name')).text()).toBe('memory');
    const failed = await app.request('/echo/fails');
    expect(failed.status).toBe(404);
    expect(await failed.json()).toMatchObject({ code: 'not-found', detail: 'nothing here' });
    const other = await app.request('/echo/name', { method: 'POST' });
    expect([other.status, other.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    expect((await (await app.request('/')).json()).endpoints).toMatchObject(echo.endpoints!);
    expect((await createApp(engine).request('/echo/name')).status).toBe(404);
  });

  it('has its request id also where the response comes from elsewhere', async () => {
    const foreign: ApiPart = {
      path: '/foreign',
      routes: () => new Hono<ApiEnv>().get('/', () => Response.json({ from: 'elsewhere' })),
    };
    const app = createApp(engine, { mount: [foreign] });
    const answered = await app.request('/foreign', { headers: { 'x-request-id': 'mine' } });
    expect(answered.headers.get('x-request-id')).toBe('mine');
    expect((await app.request('/foreign')).headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    expect(await answered.json()).toEqual({ from: 'elsewhere' });
  });

  it('stands behind the middleware, which may answer by itself and hears what was asked', async () => {
    const heard: unknown[] = [];
    const app = createApp(engine, {
      mount: [echo],
      middleware: [
        async (context, next) => {
          await next();
          heard.push([context.res.status, context.get('subject')?.model]);
        },
        async ({ req }, next) => {
          if (req.header('authorization') === undefined)
            throw new RequestError('unauthorised', 'no key', 'Send one.', { 'www-authenticate': 'Bearer' });
          await next();
        },
      ],
    });
    const refused = await app.request('/echo/name');
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    const headers = { ...json, authorization: 'Bearer x' };
    await app.request('/v1/query', { method: 'POST', headers, body: '{"query":"e1"}' });
    expect(heard).toEqual([
      [401, undefined],
      [200, 'memory'],
    ]);
  });

  it('finds several models, each below its name, and says 503 until all are open', async () => {
    const models = createModelRegistry(['first', 'second']);
    const app = createApp(models);
    expect((await app.request('/healthz')).status).toBe(503);
    expect((await app.request('/v1/relations')).status).toBe(503);
    await models.put('second', engine, '4');
    // Balancers send requests to the first as well.
    expect((await app.request('/healthz')).status).toBe(503);
    expect((await app.request('/v1/models/first/relations')).status).toBe(503);
    expect((await app.request('/v1/models/third/relations')).status).toBe(404);
    const found = await app.request('/v1/models/second/relations?limit=1');
    expect((await found.json()).total).toBe(3);
    const listed = await (await app.request('/v1/models')).json();
    expect(listed.models).toMatchObject([{ name: 'second', version: '4', ready: true, entities: 40 }]);
    expect(await (await app.request('/v1/models/second')).json()).toEqual(listed.models[0]);
  });
});
