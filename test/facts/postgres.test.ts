import { createRequire } from 'node:module';
import { createKnowledgeGraph } from '@fuzzqe/core';
import { parseQueryText } from '@fuzzqe/core/query';
import { openGraphEngine } from '@fuzzqe/engine';
import { defaultWeights } from '@fuzzqe/evidence';
import { type FactStore, openPostgresFacts } from '@fuzzqe/facts';
import { batchesOf, describeFactStore } from '@fuzzqe/facts/testing';
import { createVocabulary } from '@fuzzqe/names';
import { createLiveFacts } from '@fuzzqe/serve';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPostgresServer, type PostgresServer } from './postgres-server.ts';

/** The folder of `initdb` and `pg_ctl`; without, PostgreSQL is not tested. */
const programs = process.env['FUZZQE_TEST_POSTGRES_PROGRAMS'];

if (programs === undefined)
  it.skip(
    'PostgreSQL is not there: test/indexes/run-indexes.sh brings it, FUZZQE_TEST_POSTGRES_PROGRAMS names it',
  );
else {
  let server: PostgresServer;
  let tables = 0;
  const addresses = new Map<string, string>();
  const addressOf = (table: string): string => `${server.url}?table=${table}`;
  const again = (store: FactStore) => openPostgresFacts(addresses.get(store.id)!);
  const open = async () => {
    const address = addressOf(`facts_${++tables}`);
    const store = await openPostgresFacts(address);
    addresses.set(store.id, address);
    return store;
  };
  const sql = async (statement: string): Promise<readonly Record<string, unknown>[]> => {
    const { Client } = createRequire(import.meta.url)('pg');
    const client = new Client({ connectionString: server.url });
    await client.connect();
    const { rows } = await client.query(statement);
    await client.end();
    return rows;
  };
  const at = '2026-11-28T12:00:00Z';
  const batch = (tail: string, idempotencyKey?: string) => ({
    at,
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    changes: [{ does: 'add' as const, head: 'h', relation: 'r', tail }],
  });

  beforeAll(async () => {
    server = await createPostgresServer(programs);
    server.start();
  });
  afterAll(() => server.remove());

  describeFactStore('in PostgreSQL', { describe, it, expect }, { open, reopen: again, openAgain: again });

  describe('facts in PostgreSQL', () => {
    it('reject appends while the server is away, and lose no batch that was told to be durable', async () => {
      const store = await open();
      const told: { readonly epoch: number; readonly tail: string }[] = [];
      const refused: unknown[] = [];
      let isOn = true;
      let next = 0;
      const write = async (): Promise<void> => {
        while (isOn) {
          const tail = `${next++}`;
          await store.append(batch(tail)).then(
            (epoch) => told.push({ epoch, tail }),
            async (error: unknown) => {
              refused.push(error);
              await new Promise((resolve) => setTimeout(resolve, 20));
            },
          );
        }
      };
      const writers = Array.from({ length: 4 }, write);
      for (const how of ['fast', 'immediate'] as const) {
        const [before, failed] = [told.length, refused.length];
        await expect.poll(() => told.length).toBeGreaterThan(before + 50);
        server.stop(how);
        await expect.poll(() => refused.length).toBeGreaterThan(failed);
        await expect(store.append(batch('away'))).rejects.toMatchObject({ code: 'storage', passing: true });
        await expect(batchesOf(store)).rejects.toMatchObject({ code: 'storage' });
        server.start();
      }
      const back = told.length;
      await expect.poll(() => told.length).toBeGreaterThan(back + 10);
      isOn = false;
      await Promise.all(writers);
      for (const error of refused) expect(error).toMatchObject({ code: 'storage', passing: true });
      const batches = await batchesOf(store);
      expect(batches.map(({ epoch }) => epoch)).toEqual(batches.map((_, i) => i + 1));
      for (const { epoch, tail } of told) expect(batches[epoch - 1]?.changes[0]?.tail).toBe(tail);
      expect(new Set(batches.map(({ changes }) => changes[0]?.tail)).size).toBe(batches.length);
      await store.close();
    });

    it('leave the answers of an engine as they are while the server is away, and change them afterwards', async () => {
      const named = (...keys: readonly string[]) => keys.map((key) => ({ key, label: key }));
      const vocabulary = createVocabulary({
        entities: named('Ann', 'Bob', 'Carl'),
        relations: named('knows'),
      });
      const facts = createKnowledgeGraph({
        entityCount: 3,
        relationCount: 2,
        triples: Int32Array.of(0, 0, 1),
      });
      const evidence = { weights: defaultWeights(2), rules: { relationCount: 2, rules: [] } };
      const engine = await openGraphEngine({ vocabulary, facts, evidence });
      const live = createLiveFacts(await open());
      await live.follow(engine);
      const known = async (): Promise<readonly string[]> => {
        const { answers } = await engine.answer(parseQueryText('project(knows, Ann)', vocabulary));
        return answers.filter(({ state }) => state === 'recorded').map(({ key }) => key);
      };
      const change = { place: '$', does: 'add', head: 'Ann', relation: 'knows', tail: 'Carl' } as const;
      server.stop('immediate');
      await expect(live.write([change])).rejects.toMatchObject({ code: 'storage', passing: true });
      expect(await known()).toEqual(['Bob']);
      server.start();
      await expect
        .poll(() =>
          live.write([change]).then(
            ({ epoch }) => epoch,
            () => 0,
          ),
        )
        .toBe(1);
      expect(await known()).toEqual(['Bob', 'Carl']);
      await live.close();
      await engine.close();
    });

    it('tell of the batches of others again after the server was away', async () => {
      const store = await open();
      const other = await again(store);
      const epochs: number[] = [];
      store.arrivals((epoch) => epochs.push(epoch));
      await other.append(batch('a'));
      await expect.poll(() => epochs).toEqual([1]);
      server.stop('fast');
      server.start();
      await expect.poll(() => other.append(batch('b', 'b')).catch(() => 0)).toBe(2);
      await expect.poll(() => epochs).toEqual([1, 2]);
      await Promise.all([store.close(), other.close()]);
    });

    it('are told of by notifications, long before the next look', async () => {
      const address = addressOf('notified');
      const [store, other] = [
        await openPostgresFacts(address, { pollEvery: 3_600_000 }),
        await openPostgresFacts(address),
      ];
      const epochs: number[] = [];
      store.arrivals((epoch) => epochs.push(epoch));
      for (const [i, tail] of ['a', 'b', 'c'].entries()) {
        await other.append(batch(tail));
        await expect.poll(() => epochs.at(-1)).toBe(i + 1);
      }
      await Promise.all([store.close(), other.close()]);
    });

    it('are read in pages as of one moment, through compaction', async () => {
      const store = await open();
      const count = 1500;
      const epochs = await Promise.all(Array.from({ length: count }, (_, i) => store.append(batch(`${i}`))));
      expect(epochs.at(-1)).toBe(count);
      let seen = 0;
      for await (const { epoch } of store.since(0)) {
        expect(epoch).toBe(++seen);
        if (epoch === 10) await store.compact();
      }
      expect(seen).toBe(count);
      expect((await batchesOf(store)).map(({ epoch }) => epoch)).toEqual([count]);
      await store.close();
    });

    it('forget all but the last 10 000 keys at compaction', async () => {
      const store = await open();
      await Promise.all(Array.from({ length: 10_002 }, (_, i) => store.append(batch(`${i}`, `k${i}`))));
      await store.compact();
      expect(await store.append(batch('again', 'k2'))).toBe(3);
      expect(await store.append(batch('new', 'k1'))).toBe(10_003);
      await store.close();
    });

    it('refuse tables of another kind, made anew, of an older state, or cut by hand', async () => {
      await sql('CREATE TABLE theirs_store (name text)');
      await expect(openPostgresFacts(addressOf('theirs'))).rejects.toMatchObject({
        code: 'data',
        message: expect.stringContaining('expected a store of facts of format 1, got another table'),
      });
      const store = await open();
      const batches = `facts_${tables}`;
      for (const tail of ['a', 'b', 'c']) await store.append(batch(tail));
      await sql(`DELETE FROM ${batches} WHERE epoch = 2`);
      await expect(batchesOf(store)).rejects.toMatchObject({
        code: 'data',
        message: 'facts: expected the batch of epoch 2, got 3',
      });
      await sql(`DELETE FROM ${batches} WHERE epoch = 3`);
      await expect(batchesOf(store, 1)).rejects.toMatchObject({
        message: 'facts: expected the batch of epoch 2, got none',
      });
      await sql(`UPDATE ${batches}_store SET epoch = 1`);
      await expect(store.append(batch('d'))).rejects.toMatchObject({
        code: 'data',
        message: 'facts: expected epoch 3 or a later one, got 1',
      });
      await sql(`UPDATE ${batches}_store SET epoch = 3, id = 'another'`);
      await expect(store.append(batch('d'))).rejects.toMatchObject({
        message: `facts: expected the store ${store.id}, got another`,
      });
      expect(await sql(`SELECT count(*)::int AS n FROM ${batches}`)).toEqual([{ n: 1 }]);
      await store.close();
    });

    it('say what is wrong at opening, and never the password', async () => {
      const secret = 'never-to-be-seen';
      const wrong = server.url.replace('postgres@', `nobody:${secret}@`);
      for (const [url, code] of [
        [wrong, 'storage'],
        [wrong.replace(/:\d+\//, ':1/'), 'storage'],
        [`${server.url}_absent`.replace('//', `//a:${secret}@`).replace('postgres@', ''), 'storage'],
        [`${wrong}?table=No`, 'usage'],
        [`postgres://a:${secret}%@host/db`, 'usage'],
        [`mysql://a:${secret}@host/db`, 'usage'],
      ]) {
        const error = await openPostgresFacts(url!, { timeout: 2000 }).catch((cause: unknown) => cause);
        expect(error).toMatchObject({ name: 'FuzzError', code });
        expect(String(error)).not.toContain(secret);
      }
    });
  });
}
