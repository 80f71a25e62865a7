import { openEngine } from '@fuzzqe/engine';
import { type ApiRoute, createApp } from '@fuzzqe/engine/api';
import { memoryBundle, referenceSessions } from '@fuzzqe/engine/testing';
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
});
