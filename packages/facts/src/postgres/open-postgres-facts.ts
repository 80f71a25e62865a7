import { expectOptions, FuzzError, schema } from '@fuzzqe/core';
import { createSharedFacts } from '../shared/create-shared-facts.ts';
import type { SharedFactStore } from '../store/fact-store.ts';
import { listenPostgres } from './listen-postgres.ts';
import { type ConnectionOptions, importPostgres, type PostgresPool } from './postgres-driver.ts';
import { createPostgresPlace, within } from './postgres-place.ts';
import { makeTables, readHead, tablesOf } from './postgres-tables.ts';

/** How facts in PostgreSQL are opened. */
export interface PostgresFactsOptions {
  /** Takes a line for people about a server that may lose batches. Default: the line is dropped. */
  readonly log?: (line: string) => void;
  /** Milliseconds that a statement or a connection may take. Default 10 000. */
  readonly timeout?: number;
  /** Milliseconds between two looks for batches of others, in addition to notifications. Default 1000. */
  readonly pollEvery?: number;
}

/** The most connections that read at once: others wait. */
const readers = 8;
/** Milliseconds that a reader may take between two pages. */
const longestRead = 600_000;

/**
 * Opens a store of facts in PostgreSQL, whose tables are made if they are not there; any number of processes may write.
 *
 * @param url `postgres://user:password@host/database?table=fuzzqe_facts`; other parameters are those of the driver `pg`.
 * @throws FuzzError `usage`: no such address. `runtime`: `pg` is not installed. `storage`: the server is away or refuses.
 *   `data`: tables of another kind.
 * @example
 * const facts = await openPostgresFacts('postgres://localhost/kg');
 * const stop = facts.arrivals((epoch) => console.log('another process wrote up to', epoch));
 */
export async function openPostgresFacts(
  url: string,
  options: PostgresFactsOptions = {},
): Promise<SharedFactStore> {
  expectOptions('openPostgresFacts', options, []);
  const { log = () => {}, timeout = 10_000, pollEvery = 1000 } = options;
  for (const [what, value] of Object.entries({ timeout, pollEvery }))
    schema.parse(schema.integer({ min: 1 }), value, { code: 'usage', what });
  const { connectionString, table, path } = parsePostgresUrl(url);
  const driver = await importPostgres();
  /** The server ends what nobody waits for any more; a writer that was cut off keeps others no longer than `idle` milliseconds. */
  const connectionOf = (idle: number): ConnectionOptions => ({
    connectionString,
    connectionTimeoutMillis: timeout,
    query_timeout: timeout,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    application_name: 'fuzzqe',
    options: `-c statement_timeout=${timeout} -c idle_in_transaction_session_timeout=${idle} -c client_min_messages=error`,
    allowExitOnIdle: true,
  });
  const poolOf = (max: number, idle: number): PostgresPool => {
    const pool = new driver.Pool({ ...connectionOf(idle), max });
    // A connection that breaks while nobody uses it: the next call makes another.
    pool.on('error', () => {});
    // A connection that breaks between two statements of a transaction: the next statement throws.
    pool.on('connect', (client) => client.on('error', () => {}));
    return pool;
  };
  const [writing, reading] = [poolOf(1, timeout), poolOf(readers, longestRead)];
  const tables = tablesOf(table);
  try {
    const head = await within(writing, path, async (client) => {
      await makeTables(client, tables);
      const { rows } = await client.query<{ readonly fsync: string }>('SHOW fsync');
      if (rows[0]?.fsync === 'off')
        log('PostgreSQL has fsync off: a power cut may lose acknowledged batches');
      return readHead(client, tables);
    });
    const place = createPostgresPlace({ id: head.id, path, tables, writing, reading });
    const listen = (hint: (epoch: number) => void) =>
      listenPostgres(driver, connectionOf(timeout), table, hint);
    return createSharedFacts({ ...place, listen }, head, { pollEvery });
  } catch (cause) {
    await Promise.all([writing.end(), reading.end()]);
    throw cause;
  }
}

/** An address of PostgreSQL: what the driver gets, the table, and what people see. Throws: `usage`. */
function parsePostgresUrl(text: string): {
  readonly connectionString: string;
  readonly table: string;
  readonly path: string;
} {
  const refusal = (message: string, hint: string) => new FuzzError('usage', `facts: ${message}`, { hint });
  const url = URL.canParse(text) ? new URL(text) : undefined;
  // The address itself is not said: it may hold a password.
  if (
    url === undefined ||
    !/^postgres(ql)?:$/.test(url.protocol) ||
    /%(?![\da-f]{2})/i.test(url.username + url.password)
  )
    throw refusal(
      'expected postgres://user:password@host/database, got no such address',
      'Percent-encode special characters of the user and the password: %40 for @, say.',
    );
  const table = url.searchParams.get('table') ?? 'fuzzqe_facts';
  url.searchParams.delete('table');
  if (!/^[a-z_][a-z0-9_]{0,50}$/.test(table))
    throw refusal(
      `table: expected lower-case letters, digits and _, 51 at most, got ${JSON.stringify(table.slice(0, 100))}`,
      'As postgres://host/database?table=fuzzqe_facts.',
    );
  return { connectionString: url.href, table, path: `postgres://${url.host}${url.pathname}?table=${table}` };
}
