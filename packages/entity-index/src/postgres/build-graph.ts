import { createHash } from 'node:crypto';
import type { IndexContent } from '../store/index-content.ts';
import type { PostgresClient, PostgresPool } from './postgres-driver.ts';

/** Milliseconds that building a graph may take: days, which is as long as a timer goes. */
const longest = 2 ** 31 - 1;
/** How often it is asked how far the graph is, in milliseconds. */
const glance = 2000;
/** The least memory that a graph is built in, in kB, where `effective_cache_size` was set. */
const leastMemory = 512 * 1024;
/** Bytes of a row in the graph while it is built, next to its numbers: neighbours, their distances and the row itself. */
const bytesOfRow = 900;

/**
 * How many rows are compared where a row is put into the graph. By pgvector's own 64, rows of a large table are reached from nowhere: of
 * the ten best of 100 000 rows 99.5 % are found, however far a search looks, by 128 all, for half as much work again.
 */
const thoroughness = 128;

/** Memory in which a graph of some rows is built whole, in kB. */
const memoryFor = ({ rows, dimension }: IndexContent): number =>
  Math.ceil((rows * (4 * dimension + bytesOfRow)) / 1024);

/** A statement that may take as long as it needs. */
export function slowly<Row>(
  client: PostgresClient,
  text: string,
  values: readonly unknown[] = [],
): Promise<{ readonly rows: readonly Row[] }> {
  return client.query<Row>({ text, values, query_timeout: longest });
}

/**
 * Builds the graph of a table in a transaction, in as much memory as it needs: one that does not fit is built many times slower. Never
 * in more than `maintenance_work_mem` unless somebody set `effective_cache_size`, which is 4 GB on the smallest server else: then in half of that.
 *
 * @param onBuilt hears how many rows are in it.
 */
export async function buildGraph(
  pool: PostgresPool,
  client: PostgresClient,
  { table, content }: { readonly table: string; readonly content: IndexContent },
  onBuilt: (rows: number) => void,
): Promise<void> {
  await client.query(
    `SELECT set_config('maintenance_work_mem', CASE WHEN cache.is_set THEN greatest(own.kb, least($1::bigint, greatest(cache.kb / 2, $2::bigint))) ELSE own.kb END::text || 'kB', true)
     FROM (SELECT pg_size_bytes(current_setting('maintenance_work_mem')) / 1024 AS kb) own,
          (SELECT pg_size_bytes(current_setting('effective_cache_size')) / 1024 AS kb, source <> 'default' AS is_set
           FROM pg_settings WHERE name = 'effective_cache_size') cache`,
    [Math.max(leastMemory, memoryFor(content)), leastMemory],
  );
  // Of anyone who is gone, nobody waits for the graph: servers before 14 find that out when it is built.
  await client.query(
    "SELECT set_config(name, '10s', true) FROM pg_settings WHERE name = 'client_connection_check_interval'",
  );
  const { rows: backends } = await client.query<{ readonly pid: number }>('SELECT pg_backend_pid() AS pid');
  let isAsking = false;
  const ask = async (): Promise<void> => {
    const { rows } = await pool.query<{ readonly done: string }>(
      'SELECT tuples_done AS done FROM pg_stat_progress_create_index WHERE pid = $1',
      [backends[0]!.pid],
    );
    if (rows[0] !== undefined) onBuilt(Number(rows[0].done));
  };
  const timer = setInterval(() => {
    if (isAsking) return;
    isAsking = true;
    ask()
      // How far it is, is nothing that it depends on.
      .catch(() => undefined)
      .finally(() => {
        isAsking = false;
      });
  }, glance).unref();
  const build = `CREATE INDEX IF NOT EXISTS ${graphOf(table)} ON ${quoted(table)} USING hnsw (embedding vector_ip_ops) WITH (m = 16, ef_construction = ${thoroughness})`;
  try {
    await client.query('SAVEPOINT alone');
    await slowly(client, build).catch(async (cause: unknown) => {
      if (!isFull(cause)) throw cause;
      // Several processes build it in shared memory, of which containers have little: one builds it in its own.
      await client.query('ROLLBACK TO SAVEPOINT alone');
      await client.query('SET LOCAL max_parallel_maintenance_workers = 0');
      await slowly(client, build);
    });
  } finally {
    clearInterval(timer);
  }
}

/** Disk full, out of memory, or no shared memory. */
const isFull = (cause: unknown): boolean =>
  typeof cause === 'object' &&
  cause !== null &&
  ['53100', '53200', '58030'].includes(String(Reflect.get(cause, 'code')));

/** A checked name, which may be a word of SQL. */
export const quoted = (table: string): string => `"${table}"`;

/** The name of a table's graph: of 63 characters, and another for each table however alike their names begin. */
function graphOf(table: string): string {
  const digest = createHash('sha256').update(table).digest('hex').slice(0, 8);
  return quoted(`${table.slice(0, 49)}_${digest}_hnsw`);
}
