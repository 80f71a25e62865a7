import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ApiRoute, createApp } from '@fuzzqe/api';
import { openEngine } from '@fuzzqe/engine';
import { memoryBundle, referenceSessions } from '@fuzzqe/engine/testing';
import { playgroundPart } from '@fuzzqe/serve';
import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from 'vitest';
import { servedParts } from './served-parts.ts';

describe('what the command serves', () => {
  it('is described whole in a valid document of OpenAPI, and nothing else is', async () => {
    const { source, config, parameters } = await memoryBundle();
    const engine = await openEngine({ source, sessions: referenceSessions(config, parameters) });
    let served: readonly ApiRoute[] = [];
    const [first, ...others] = await servedParts({ mcp: true });
    const listing = {
      ...first!,
      routes(context: Parameters<NonNullable<typeof first>['routes']>[0]) {
        queueMicrotask(() => {
          served = context.routes();
        });
        return first!.routes(context);
      },
    };
    const app = createApp(engine, { mount: [listing, ...others] });
    const { paths, ...rest } = await (await app.request('/openapi.json')).json();
    const described = Object.entries<object>(paths).flatMap(([path, item]) =>
      Object.keys(item)
        .filter((key) => key !== 'parameters')
        .map((method) => `${method.toUpperCase()} ${path}`),
    );
    const names = served.map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`);
    expect(names).toEqual(expect.arrayContaining(['POST /sparql', 'POST /mcp']));
    expect(described.sort()).toEqual([...new Set(names)].sort());
    expect((await new Validator().validate({ ...rest, paths })).errors).toBeUndefined();
    expect(await (await app.request('/docs')).text()).not.toContain('PARAMETERS');
    await engine.close();
  });

  it('is described with what bad requests are answered, of whichever part', async () => {
    const { source, config, parameters } = await memoryBundle();
    const engine = await openEngine({ source, sessions: referenceSessions(config, parameters) });
    const folder = await mkdtemp(join(tmpdir(), 'fuzzqe-parts-'));
    await writeFile(join(folder, 'index.html'), '<!doctype html>');
    const page = playgroundPart({ folder, bundleOf: () => folder });
    const app = createApp(engine, { mount: [...(await servedParts({ mcp: true })), page] });
    const { paths, components } = await (await app.request('/openapi.json')).json();
    const json = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const listing = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}';
    const message = (path: string, body: string, headers: Record<string, string> = json) =>
      [path, { method: 'POST', headers, body }] as const;
    const answered: unknown[] = [];
    for (const [path, [address, init]] of [
      ['/mcp', message('/mcp', listing)],
      ['/mcp', message('/mcp', '{"jsonrpc":"2.0","method":"notifications/initialized"}')],
      ['/mcp', message('/mcp', '{')],
      ['/mcp', message('/mcp', listing, { ...json, accept: 'text/html' })],
      ['/mcp', message('/mcp', listing, { ...json, 'content-type': 'text/plain' })],
      ['/mcp', message('/mcp', 'x'.repeat(300_000))],
      ['/mcp/{model}', message('/mcp/nobody', listing)],
      ['/playground/{file}', ['/playground/nothing', { method: 'GET' }]],
      ['/playground/bundles/{model}/{file}', ['/playground/bundles/nobody/nothing', { method: 'GET' }]],
    ] as const) {
      const response = await app.request(address, init);
      const { status } = response;
      const type = response.headers.get('content-type')?.split(';')[0];
      const found = paths[path][init.method.toLowerCase()].responses[status];
      expect(found, `${init.method} ${address}: ${status}`).toBeDefined();
      if (type !== undefined) expect(Object.keys(found.content), `${address}: ${status}`).toContain(type);
      answered.push(status);
    }
    expect(answered).toEqual([200, 202, 400, 406, 415, 413, 404, 404, 404]);
    // What Node refuses before anything else hears of it.
    for (const item of Object.values<Record<string, object>>(paths))
      for (const operation of Object.values(item))
        if ('responses' in operation)
          expect(operation.responses).toMatchObject({
            408: { $ref: '#/components/responses/Unread408' },
            431: { $ref: '#/components/responses/Unread431' },
          });
    expect(Object.keys(components.responses)).toEqual(
      ['403', '408', '429', '431'].map((status) => `Unread${status}`),
    );
    expect(components.schemas.Problem.properties.status.enum).toEqual(expect.arrayContaining([408, 431]));
    await engine.close();
    await rm(folder, { recursive: true });
  });
});
