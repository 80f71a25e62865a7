import { createModelRegistry } from '@fuzzqe/api';
import { documentation } from '@fuzzqe/api/documentation';
import { openEngine } from '@fuzzqe/engine';
import { memoryBundle, referenceSessions } from '@fuzzqe/engine/testing';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, it } from 'vitest';
import { startServer } from '../server.ts';

interface Operation {
  readonly responses: Readonly<
    Record<string, { readonly content: Readonly<Record<string, { schema: object }>> }>
  >;
}

const paths = ['/livez', '/readyz', '/metrics'];

it('what those ask who run a server is in its document, and is answered as that says, before models are there and after', async () => {
  const models = createModelRegistry(['later']);
  const server = await startServer({ models, port: 0, closeNotice: 0, api: { mount: [documentation()] } });
  try {
    const ask = async (path: string) => {
      const response = await fetch(server.url + path);
      const type = response.headers.get('content-type')!.split(';')[0]!;
      const body = type === 'application/json' ? await response.json() : await response.text();
      return { path, status: response.status, type, body };
    };
    const before = await Promise.all(paths.map(ask));
    const { source, config, parameters } = await memoryBundle();
    await models.put('later', await openEngine({ source, sessions: referenceSessions(config, parameters) }));
    const answers = [...before, ...(await Promise.all(paths.map(ask)))];
    expect(answers.map(({ status }) => status)).toEqual([200, 503, 200, 200, 200, 200]);

    const document = (await ask('/openapi.json')).body;
    expect((await new Validator().validate(structuredClone(document))).errors).toBeUndefined();
    const ajv = new Ajv2020({ strict: false });
    const schemaOf = (path: string, status: number, type: string) =>
      (document.paths[path].get as Operation).responses[status]!.content[type]!.schema;
    for (const { path, status, type, body } of answers)
      expect(
        ajv.validate(schemaOf(path, status, type), body),
        `${path}: ${status} ${JSON.stringify(body)}`,
      ).toBe(true);
    const readyz = schemaOf('/readyz', 200, 'application/json');
    expect(ajv.validate(readyz, { ok: true, indexes: { later: 'away' } })).toBe(true);
    expect(ajv.validate(readyz, { ok: true, indexes: ['gone'] })).toBe(false);

    const { endpoints } = (await (
      await fetch(server.url, { headers: { accept: 'application/json' } })
    ).json()) as {
      endpoints: object;
    };
    expect(Object.keys(endpoints)).toEqual(expect.arrayContaining(paths.map((path) => `GET ${path}`)));
  } finally {
    await server.close();
  }
});
