import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEngine } from '@fuzzqe/engine';
import { memoryBundle, referenceSessions } from '@fuzzqe/engine/testing';
import { openEntityIndex, pushIndex } from '@fuzzqe/entity-index';
import { exportMemoryBundle } from '@fuzzqe/parity/testing';
import { folderSource, nodeSessions, readSettings, type Service, startService } from '@fuzzqe/serve';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createProxy } from './proxy.ts';

const postgres = process.env['FUZZQE_TEST_POSTGRES'];

describe('fuzzqe serve with an index in PostgreSQL', () => {
  if (postgres === undefined) {
    it.skip('PostgreSQL with pgvector is not there: test/indexes/run-indexes.sh brings it');
    return;
  }
  const lines: string[] = [];
  const password = 'never-to-be-seen';
  const table = `served_${process.pid}`;
  let [folder, plain]: [string, Service | undefined] = ['', undefined];
  let proxy: Awaited<ReturnType<typeof createProxy>>;
  let service: Service;

  const note = (fields: object, text: string): void => {
    const { error } = fields as { error?: unknown }; // of the log
    lines.push(JSON.stringify(fields), text, error instanceof Error ? `${error} ${error.stack}` : '');
  };
  const log = { debug: note, info: note, warn: note, error: note, close: () => {} };

  async function serve(index?: string): Promise<Service> {
    const flags = { port: '0', workers: '0', playground: 'off', ...(index === undefined ? {} : { index }) };
    const settings = await readSettings({ flags, environment: {} });
    const started = await startService({
      bundles: [folder],
      settings,
      log: log as never, // as much of a log as a service calls
      ...(index === undefined
        ? {}
        : {
            openIndex: ({ manifest, profileName: profile }, onState) =>
              openEntityIndex(index, {
                ...{ manifest, profile, checkEvery: 20, backOff: 1, timeout: 2000 },
                ...(onState && { onState }),
              }),
          }),
    });
    return started;
  }
  const ask = async (of: Service, body: object, path = '/v1/query') => {
    const response = await fetch(`${of.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const answer = (await response.json()) as { answers?: { id: number; score: number }[]; detail?: string }; // the API's form
    return { status: response.status, ...answer };
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fuzzqe-served-index-'));
    await exportMemoryBundle(folder, await memoryBundle(), { profiles: ['fp32'], golden: 2 });
    const { hostname, port, username, pathname } = new URL(postgres);
    proxy = await createProxy({ host: hostname, port: Number(port || 5432) });
    const address = `postgres://${username}:${password}@127.0.0.1:${proxy.port}${pathname}?table=${table}`;
    const engine = await openEngine({ source: folderSource(folder), sessions: nodeSessions(folder) });
    await pushIndex(engine, address, { replace: true });
    await engine.close();
    [plain, service] = [await serve(), await serve(address)];
    await Promise.all([plain.opened, service.opened]);
  });
  afterAll(async () => {
    await Promise.all([plain?.close(), service?.close()]);
    proxy?.close();
    await rm(folder, { recursive: true, force: true });
  });

  it.each([
    { query: { project: 0, from: { entity: 3 } }, k: 5 },
    { query: { project: 1, from: { entity: 5 } }, k: 12, exclude: 'known' },
    { query: { project: 0, from: { entity: 7 } }, k: 4, filter: { ids: [1, 3, 5, 7, 9, 11] } },
  ])('answers as it does without one: %j', async (body) => {
    const request = { mode: 'embedding', ...body };
    const [expected, actual] = [await ask(plain!, request), await ask(service, request)];
    expect(expected.status, JSON.stringify(expected)).toBe(200);
    expect(actual.answers?.map(({ id }) => id)).toEqual(expected.answers?.map(({ id }) => id));
    actual.answers?.forEach(({ score }, i) => {
      expect(score).toBeCloseTo(expected.answers![i]!.score, 4);
    });
  });

  it('answers 503 with its name where it cannot be reached, stays ready and says so, and answers again when it is back', async () => {
    const request = { mode: 'embedding', query: { project: 0, from: { entity: 3 } }, k: 3 };
    const ready = async (): Promise<string> => {
      const response = await fetch(`${service.url}/readyz`);
      const { indexes } = (await response.json()) as { indexes: Record<string, string> }; // of a server with an index
      return `${response.status} ${Object.values(indexes)}`;
    };
    await expect.poll(ready).toBe('200 ready');
    proxy.cut();
    const refused = await ask(service, request);
    expect(refused).toMatchObject({
      status: 503,
      detail: `The entity index ${table} (postgres) cannot be reached.`,
    });
    expect(await ready()).toBe('200 away');
    const sets = await ask(service, { ...request, mode: 'sets' });
    expect(sets.status).toBe(200);
    proxy.mend();
    await expect.poll(ready, { timeout: 10_000 }).toBe('200 ready');
    expect(await ask(service, request)).toMatchObject({ status: 200 });
    expect(lines.join('\n')).toContain('the entity index cannot be reached');
    expect(lines.join('\n')).not.toContain(password);
  });

  it('refuses with its name while the rows are those of another bundle, and answers once they are its own again', async () => {
    const request = { mode: 'embedding', query: { project: 0, from: { entity: 3 } }, k: 3 };
    const at = `${postgres}?table=${table}`;
    const { config, parameters, source } = await memoryBundle({ entities: 41 });
    const other = await openEngine({ source, sessions: referenceSessions(config, parameters) });
    await pushIndex(other, at, { replace: true });
    await other.close();
    const answered = () => ask(service, request);
    await expect.poll(answered, { timeout: 10_000 }).toMatchObject({
      status: 500,
      detail: `The entity index ${table} (postgres) is not of this bundle any more.`,
    });
    const engine = await openEngine({ source: folderSource(folder), sessions: nodeSessions(folder) });
    await pushIndex(engine, at, { replace: true });
    await engine.close();
    await expect.poll(answered, { timeout: 10_000 }).toMatchObject({ status: 200 });
  });

  it('does not begin with an index that cannot be reached, nor with credentials that are wrong, and shows none of them', async () => {
    const wrong = postgres.replace(/:\/\/[^@]*@/, `://nobody:${password}@`);
    for (const address of [
      `${wrong}?table=${table}`,
      `postgres://u:${password}@127.0.0.1:1/kg?table=${table}`,
    ]) {
      const begun = await serve(address);
      const error = await begun.opened.catch((cause: unknown) => cause);
      expect(error).toMatchObject({ code: 'runtime', path: expect.stringContaining(table) });
      expect(`${error} ${(error as Error).stack}`).not.toContain(password);
      await begun.close();
    }
  });
});
