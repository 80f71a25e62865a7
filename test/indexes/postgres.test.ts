import { asEntityId } from '@fuzzqe/core';
import { entity } from '@fuzzqe/core/query';
import { type BundleEngine, openEngine } from '@fuzzqe/engine';
import { memoryBundle, referenceSessions } from '@fuzzqe/engine/testing';
import { openEntityIndex, pushIndex } from '@fuzzqe/entity-index';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
// biome-ignore lint/style/noRestrictedImports: how much memory a graph gets is nothing that the package exports.
import { buildGraph } from '../../packages/entity-index/src/postgres/build-graph.ts';
import { createSql } from './database.ts';
import { createProxy } from './proxy.ts';

const postgres = process.env['FUZZQE_TEST_POSTGRES'];

describe('an index in PostgreSQL', () => {
  if (postgres === undefined) {
    it.skip('PostgreSQL with pgvector is not there: test/indexes/run-indexes.sh brings it');
    return;
  }
  const sql = createSql(postgres);
  const table = `own_${process.pid}`;
  let engine: BundleEngine;
  let embedding: Float32Array;
  const open = (address: string, timeout: number) => {
    const { manifest, profile } = engine;
    return openEntityIndex(address, { manifest, profile, checkEvery: 0, retries: 0, timeout });
  };

  beforeAll(async () => {
    const { config, parameters, source } = await memoryBundle();
    engine = await openEngine({ source, sessions: referenceSessions(config, parameters) });
    embedding = await engine.embed(entity(asEntityId(0)));
    await pushIndex(engine, `${postgres}?table=${table}`);
  });
  afterAll(() => engine.close());

  it('gives up connections that fall silent, more than it may have, and answers by others when they are there', async () => {
    const { hostname, port, username, pathname } = new URL(postgres);
    const proxy = await createProxy({ host: hostname, port: Number(port || 5432) });
    const address = `postgres://${username}@127.0.0.1:${proxy.port}${pathname}?table=${table}`;
    const index = await open(address, 300);
    const search = () => index.search([{ embedding, k: 3 }]);
    // All the connections that it may have.
    await Promise.all(Array.from({ length: 8 }, search));
    proxy.silence();
    const lost = await Promise.allSettled(Array.from({ length: 12 }, search));
    expect(lost.map(({ status }) => status)).toEqual(Array.from({ length: 12 }, () => 'rejected'));
    proxy.mend();
    await expect.poll(() => search().then(([found]) => found!.ids.length), { timeout: 5000 }).toBe(3);
    proxy.close();
    await index.close();
  });

  it('closes while nothing answers, however long calls may take', async () => {
    const { hostname, port, username, pathname } = new URL(postgres);
    const proxy = await createProxy({ host: hostname, port: Number(port || 5432) });
    const address = `postgres://${username}@127.0.0.1:${proxy.port}${pathname}?table=${table}`;
    const index = await open(address, 3_600_000);
    proxy.silence();
    const pending = index.search([{ embedding, k: 3 }]).catch((error: unknown) => error);
    // The pool hands connections over in the next turn.
    await new Promise(setImmediate);
    await index.close();
    expect(await pending).toMatchObject({ code: 'runtime' });
    proxy.close();
  }, 20_000);

  it('lets the server end what nobody waits for any more', async () => {
    const index = await open(`${postgres}?table=${table}`, 200);
    const waiting = async () =>
      Number(
        (
          await sql(
            `SELECT count(*) AS n FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%"${table}"%' AND application_name = 'fuzzqe'`,
          )
        )[0]!['n'],
      );
    await sql('BEGIN', `LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
    await expect(index.search([{ embedding, k: 3 }])).rejects.toMatchObject({ code: 'runtime' });
    await expect.poll(waiting, { timeout: 5000 }).toBe(0);
    await sql('ROLLBACK');
    await index.close();
  });

  it('builds its graph in more than maintenance_work_mem only where somebody set effective_cache_size', async () => {
    const statements: { readonly text: string; readonly values: readonly unknown[] }[] = [];
    const client = {
      async query(statement: string | { readonly text: string }, values: readonly unknown[] = []) {
        if (typeof statement === 'string') statements.push({ text: statement, values });
        return { rows: [{ pid: 1 }] };
      },
    } as unknown as Parameters<typeof buildGraph>[1]; // all that is asked of one
    const content = { bundle: 'b', name: 'n', profile: 'p', metric: 'innerProduct', dimension: 64 } as const;
    const pool = { query: client.query } as unknown as Parameters<typeof buildGraph>[0]; // the same
    await buildGraph(pool, client, { table, content: { ...content, rows: 1_000_000 } }, () => undefined);
    const { text, values } = statements.find((each) => each.text.includes('effective_cache_size'))!;
    const filled = text.replace(/\$(\d)/g, (_, place: string) => String(values[Number(place) - 1]));
    const memory = async (...before: string[]) =>
      Object.values((await sql('BEGIN', ...before, filled))[0]!)[0];
    const settings = "SET LOCAL maintenance_work_mem = '64MB'";
    expect(await memory(settings)).toBe('64MB');
    await sql('ROLLBACK');
    expect(await memory(settings, "SET LOCAL effective_cache_size = '2GB'")).toBe('1GB');
    await sql('ROLLBACK');
  });

  it('has a graph of its own for each table, however alike their names, and takes words of SQL for names', async () => {
    const long = 'a'.repeat(60);
    for (const name of [`${long}_1`, `${long}_2`, 'user', 'order']) {
      await pushIndex(engine, `${postgres}?table=${name}`, { replace: true });
      const index = await open(`${postgres}?table=${name}`, 5000);
      const [found] = await index.search([{ embedding, k: 3 }]);
      expect(found!.ids.length, name).toBe(3);
      await index.close();
      const graphs = await sql(
        `SELECT indexname FROM pg_indexes WHERE tablename = '${name}' AND indexdef LIKE '%hnsw%'`,
      );
      expect(graphs, name).toHaveLength(1);
    }
  });
});
