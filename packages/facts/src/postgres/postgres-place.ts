import { FuzzError } from '@fuzzqe/core';
import { perhapsKept } from '../shared/perhaps-kept.ts';
import type { Head, SharedPlace } from '../shared/shared-place.ts';
import type { FactBatch } from '../store/fact-store.ts';
import { type NumberedBatch, numberBatches } from '../store/number-batches.ts';
import { mostKeys } from '../store/recent-keys.ts';
import { readStoredBatch, storedJson } from '../store/stored-batch.ts';
import type { PostgresClient, PostgresPool } from './postgres-driver.ts';
import { postgresError } from './postgres-error.ts';
import { type PostgresTables, readHead } from './postgres-tables.ts';

/** Bytes after which a page of batches ends, and most batches of it. */
const [pageBytes, pageBatches] = [16 * 2 ** 20, 1000];
/** Milliseconds that compaction may take for one statement. */
const compactionTime = 3_600_000;

/** What a place in PostgreSQL needs. */
export interface PostgresPlaceOptions {
  readonly id: string;
  readonly path: string;
  readonly tables: PostgresTables;
  /** One connection, so that reading never keeps it from writing. */
  readonly writing: PostgresPool;
  readonly reading: PostgresPool;
}

/** Batches in tables of PostgreSQL. */
export function createPostgresPlace(options: PostgresPlaceOptions): SharedPlace {
  const { id, path, tables, writing, reading } = options;
  /** How far the store is; other writers wait until the transaction ends. */
  const lockedHead = async (client: PostgresClient): Promise<Head> => {
    const head = await readHead(client, tables, 'FOR UPDATE');
    if (head.id === id) return head;
    throw new FuzzError('data', `facts: expected the store ${id}, got ${head.id}`, {
      path,
      hint: 'The tables were made anew. Restart all servers with these facts.',
    });
  };

  return {
    id,
    path,
    head: () => within(reading, path, (client) => readHead(client, tables)),
    write: (group, check) =>
      within(writing, path, async (client) => {
        await begin(client);
        const before = await lockedHead(client);
        check(before);
        const known = await knownKeys(client, tables, group);
        const { numbered, epochs } = numberBatches(group, before.epoch, (key) => known.get(jsonOf(key)));
        const after = before.epoch + numbered.length;
        if (numbered.length === 0) {
          await client.query('ROLLBACK');
          return { after, epochs };
        }
        await insert(client, tables, numbered, before.epoch);
        await client.query('COMMIT').catch((cause: unknown) => {
          throw perhapsKept(`${postgresError(cause, path).message}, as the batch ended`, path, cause);
        });
        return { after, epochs };
      }),
    read: (after) => readPages(options, after),
    replace: ({ from, bodies }) =>
      within(writing, path, async (client) => {
        await begin(client);
        // Less than the net changes may take.
        await client.query('SET LOCAL statement_timeout = 0');
        const { compacted } = await lockedHead(client);
        if (compacted !== from.compacted) {
          await client.query('ROLLBACK');
          return;
        }
        const slowly = (text: string, ...values: readonly unknown[]) =>
          client.query({ text, values, query_timeout: compactionTime });
        await slowly(`DELETE FROM ${tables.batches} WHERE epoch <= $1`, from.epoch);
        for (const [i, body] of bodies.entries()) {
          const epoch = from.epoch - bodies.length + 1 + i;
          await slowly(
            `INSERT INTO ${tables.batches} VALUES ($1, $2)`,
            epoch,
            textOf(epoch, epoch - 1, body),
          );
        }
        await slowly(
          `DELETE FROM ${tables.keys} WHERE epoch <=
             (SELECT epoch FROM ${tables.keys} ORDER BY epoch DESC OFFSET ${mostKeys} LIMIT 1)`,
        );
        await slowly(`UPDATE ${tables.store} SET compacted = $1`, from.epoch);
        await client.query('COMMIT');
      }),
    async close() {
      await Promise.all([writing.end(), reading.end()]);
    },
  };
}

/** Gives a connection to a work; after a failure the connection is not used again. Throws as `postgresError`. */
export async function within<T>(
  pool: PostgresPool,
  path: string,
  work: (client: PostgresClient) => Promise<T>,
): Promise<T> {
  let client: PostgresClient | undefined;
  try {
    client = await pool.connect();
    const result = await work(client);
    client.release();
    return result;
  } catch (cause) {
    client?.release(true);
    throw postgresError(cause, path);
  }
}

/** Begins a transaction that is durable when it ends, whatever the server is set to. */
async function begin(client: PostgresClient): Promise<void> {
  await client.query(
    `BEGIN; SELECT set_config('synchronous_commit', 'on', true) WHERE current_setting('synchronous_commit') = 'off'`,
  );
}

// A key may have a half of a character, which is no text of PostgreSQL.
const jsonOf = (key: string): string => JSON.stringify(key);

const textOf = (epoch: number, flushed: number, body: readonly Uint8Array[]): string =>
  Buffer.concat(storedJson(epoch, flushed, body)).toString('utf8');

async function knownKeys(
  client: PostgresClient,
  tables: PostgresTables,
  group: readonly { readonly idempotencyKey: string | undefined }[],
): Promise<ReadonlyMap<string, number>> {
  const keys = group.flatMap(({ idempotencyKey: key }) => (key === undefined ? [] : [jsonOf(key)]));
  if (keys.length === 0) return new Map();
  const { rows } = await client.query<{ readonly key: string; readonly epoch: string }>(
    `SELECT key, epoch FROM ${tables.keys} WHERE key = ANY($1::text[])`,
    [keys],
  );
  return new Map(rows.map(({ key, epoch }) => [key, Number(epoch)]));
}

async function insert(
  client: PostgresClient,
  tables: PostgresTables,
  numbered: readonly NumberedBatch[],
  flushed: number,
): Promise<void> {
  const keyed = numbered.filter(({ idempotencyKey }) => idempotencyKey !== undefined);
  await client.query(
    `WITH batches AS (
       INSERT INTO ${tables.batches} (epoch, batch) SELECT * FROM unnest($1::bigint[], $2::text[])
     ), keys AS (
       INSERT INTO ${tables.keys} (key, epoch) SELECT * FROM unnest($3::text[], $4::bigint[])
     ), store AS (
       UPDATE ${tables.store} SET epoch = $5 RETURNING epoch
     ) SELECT pg_notify($6, epoch::text) FROM store`,
    [
      numbered.map(({ epoch }) => epoch),
      numbered.map(({ epoch, body }) => textOf(epoch, flushed, body)),
      keyed.map(({ idempotencyKey }) => jsonOf(idempotencyKey!)),
      keyed.map(({ epoch }) => epoch),
      flushed + numbered.length,
      tables.name,
    ],
  );
}

/** The batches after an epoch, as of one moment, however long reading takes. */
async function* readPages(
  { path, tables, reading }: PostgresPlaceOptions,
  after: number,
): AsyncGenerator<FactBatch> {
  let client: PostgresClient | undefined;
  let isDone = false;
  try {
    client = await reading.connect();
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    for (let at = after; ; ) {
      const { rows } = await client.query<{ readonly epoch: string; readonly batch: string }>(
        `SELECT epoch, batch FROM (
           SELECT epoch, batch, sum(octet_length(batch)) OVER (ORDER BY epoch) - octet_length(batch) AS before
           FROM (SELECT * FROM ${tables.batches} WHERE epoch > $1 ORDER BY epoch LIMIT ${pageBatches}) AS next
         ) AS page WHERE before < ${pageBytes} ORDER BY epoch`,
        [at],
      );
      const last = rows.at(-1);
      if (last === undefined) break;
      for (const { epoch, batch } of rows) yield readStoredBatch(batch, `${path}, epoch ${epoch}`);
      at = Number(last.epoch);
    }
    await client.query('COMMIT');
    isDone = true;
  } catch (cause) {
    throw postgresError(cause, path);
  } finally {
    // A reader that stopped early leaves a transaction.
    client?.release(!isDone);
  }
}
