import { setTimeout as delay } from 'node:timers/promises';
import { FuzzError } from '@fuzzqe/core';
import type { IndexHits, IndexSearch } from '@fuzzqe/engine';
import { registerTable as register } from '../address/index-address.ts';
import { bestHits, openIds } from '../store/best-hits.ts';
import { importDriver } from '../store/import-driver.ts';
import { checkContent, type IndexContent, type StoredIndex } from '../store/index-content.ts';
import {
  checkOwner,
  checkRowCount,
  foreignPlace,
  type RegisterNote,
  registerColumns,
  registerRow,
  storedOf,
} from '../store/index-register.ts';
import type { IndexStore, OpenStore } from '../store/index-store.ts';
import { binaryVector, binaryVectors } from './binary-vectors.ts';
import { buildGraph, quoted, slowly } from './build-graph.ts';
import type { PostgresClient, PostgresDriver, PostgresPool } from './postgres-driver.ts';

/** The most dimensions that pgvector's graph takes. */
const mostOfGraph = 2000;
/** The most rows that a search of the graph gives: as far as `hnsw.ef_search` goes. */
const mostFound = 1000;
/** The most connections at once: searches beyond them wait for one. */
const connections = 8;
/** How many rows have to be allowed, and which share of all, for a search by the graph. */
const [leastAllowed, leastShare] = [1000, 0.05];
/** How many rows a search of the graph keeps in view. */
const usualEffort = 200;
/** Milliseconds that statements under way have to end when everything is closed. */
const closeNotice = 500;

/** An index in PostgreSQL with the extension pgvector: HNSW, or every row. */
export const openPostgresStore: OpenStore = async ({
  connection,
  table,
  content,
  method,
  effort,
  timeout,
}) => {
  if (method === 'approximate' && content.dimension > mostOfGraph)
    throw new FuzzError('usage', `HNSW takes at most ${mostOfGraph} dimensions, got ${content.dimension}`, {
      path: table,
      hint: 'Add method=exact to the address.',
    });
  const { Pool } = await importDriver<PostgresDriver>('pg');
  const pool = new Pool({
    connectionString: connection,
    max: connections,
    connectionTimeoutMillis: timeout,
    // A call that is given up would keep its connection: the driver ends that, and the server the statement.
    query_timeout: timeout,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    application_name: 'fuzzqe',
    options: `-c statement_timeout=${timeout} -c hnsw.ef_search=${effort ?? usualEffort} -c hnsw.iterative_scan=relaxed_order -c client_min_messages=error`,
    allowExitOnIdle: true,
  });
  // A connection that breaks while nobody uses it: the next call takes another.
  pool.on('error', () => {});
  return storeOf(pool, { table, content }, method === 'exact');
};

/** A table, and what this push or search takes it for. */
interface Place {
  readonly table: string;
  readonly content: IndexContent;
}

function storeOf(pool: PostgresPool, { table, content }: Place, isExact: boolean): IndexStore {
  const clients = new Set<PostgresClient>();
  pool.on('connect', (client) => {
    clients.add(client);
    // A connection that breaks between two statements of a transaction: the next statement throws.
    client.on('error', () => {});
  });
  pool.on('remove', (client) => clients.delete(client));
  const search = async (
    { embedding, k, allowed, excluded }: IndexSearch,
    { rows }: IndexContent,
  ): Promise<IndexHits> => {
    const open = openIds({ allowed, excluded });
    const chosen = open === undefined ? { excluded } : { allowed: open };
    const possible = open?.length ?? rows - (excluded?.length ?? 0);
    if (possible === 0) return bestHits([]);
    // The graph would be led past nearly everything that few allowed rows are; these are quickly looked at.
    const isFew = open !== undefined && (open.length < leastAllowed || open.length < rows * leastShare);
    if (isFew || isExact) return find(pool, table, { embedding, k, ...chosen }, true);
    const found = await find(pool, table, { embedding, k, ...chosen }, false);
    // What the graph was led through may not be found: every row is looked at instead.
    const isShort = found.ids.length < Math.min(k, possible);
    return isShort ? find(pool, table, { embedding, k, ...chosen }, true) : found;
  };
  return {
    capabilities: {
      exact: isExact,
      maxTopK: isExact ? 2 ** 31 - 1 : mostFound,
      metric: 'innerProduct',
    },
    read: () => readStored(pool, table),
    create: (of) => create(pool, of, { table, method: isExact ? 'exact' : 'approximate', complete: false }),
    write: (first, rows) => write(pool, { table, content }, first, rows),
    finish: (of, onBuilt) => finish(pool, { table, content: of, isExact }, onBuilt),
    async remove() {
      await readStored(pool, table);
      await within(pool, async (client) => {
        // In the order in which all lock them.
        await client.query(`DELETE FROM ${register} WHERE name = $1`, [table]);
        await client.query(`DROP TABLE IF EXISTS ${quoted(table)}`);
      });
    },
    search,
    async close() {
      const ended = pool.end();
      await Promise.race([ended, delay(closeNotice, undefined, { ref: false })]);
      for (const client of clients) void client.end();
    },
  };
}

async function find(
  pool: PostgresPool,
  table: string,
  { embedding, k, allowed, excluded }: IndexSearch,
  isExact: boolean,
): Promise<IndexHits> {
  const values: unknown[] = [binaryVector(embedding), k];
  const conditions: string[] = [];
  if (allowed !== undefined) conditions.push(`id = ANY($${values.push([...allowed])}::int[])`);
  if (excluded !== undefined) conditions.push(`NOT id = ANY($${values.push([...excluded])}::int[])`);
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
  // A sum is nothing that the graph is sorted by, so that every row is looked at.
  const order = isExact ? '(embedding <#> $1::vector) + 0, id' : 'embedding <#> $1::vector';
  const { rows } = await pool.query<{ readonly id: number; readonly score: number }>(
    `SELECT id, (embedding <#> $1::vector) * -1 AS score FROM ${quoted(table)} ${where} ORDER BY ${order} LIMIT $2`,
    values,
  );
  // A graph that goes on where too few were found gives them nearly in order.
  return bestHits(rows);
}

async function readStored(
  pool: Pick<PostgresPool, 'query'>,
  table: string,
): Promise<StoredIndex | undefined> {
  const { rows: there } = await pool.query<{ readonly name: string }>(
    'SELECT c.relname AS name FROM pg_class c WHERE c.oid = ANY(ARRAY[to_regclass($1), to_regclass($2)]::oid[])',
    [table, register],
  );
  const names = there.map(({ name }) => name);
  const stored = names.includes(register)
    ? await pool
        .query<Readonly<Record<string, unknown>>>(
          `SELECT ${[...registerColumns.text, ...registerColumns.number, 'written']} FROM ${register} WHERE name = $1`,
          [table],
        )
        .catch((cause: unknown) => {
          throw isMissing(cause) ? foreignPlace('table', register, 'a table of another form') : cause;
        })
    : { rows: [] };
  const [row] = stored.rows;
  if (row === undefined && names.includes(table))
    throw foreignPlace('table', table, 'a table that no fuzzqe index push made');
  // Of a table that somebody dropped.
  if (row === undefined || !names.includes(table)) return undefined;
  return { ...storedOf(row), written: Number(row['written']) };
}

/** Undefined columns and tables. */
const isMissing = (cause: unknown): boolean =>
  typeof cause === 'object' &&
  cause !== null &&
  ['42703', '42P01'].includes(String(Reflect.get(cause, 'code')));

async function create(pool: PostgresPool, content: IndexContent, noted: RegisterNote): Promise<void> {
  const { table } = noted;
  await pool.query('CREATE EXTENSION IF NOT EXISTS vector').catch((cause: unknown) => {
    // 0A000: the files of the extension are not there; 42501: only the owner of the database may.
    if (!['0A000', '42501', '58P01'].includes(String((cause as { code?: unknown }).code))) throw cause; // of the driver
    throw new FuzzError('storage', `the extension pgvector cannot be made: ${(cause as Error).message}`, {
      path: table,
      hint: 'Install pgvector on the server, and let its administrator run CREATE EXTENSION vector in this database.',
      cause,
    });
  });
  await within(pool, async (client) => {
    // Two that begin at once would both make it.
    await client.query('SELECT pg_advisory_xact_lock(hashtext($1))', [register]);
    const stored = await readStored(client, table);
    if (stored !== undefined) return checkContent(stored, content, table);
    const { text, number } = registerColumns;
    const columns = [
      ...text.map((column) => `${column} text NOT NULL`),
      ...number.map((column) => `${column} integer NOT NULL`),
    ];
    await client.query(
      `CREATE TABLE IF NOT EXISTS ${register} (name text PRIMARY KEY, ${columns}, written integer NOT NULL)`,
    );
    await client.query(
      `CREATE TABLE ${quoted(table)} (id integer PRIMARY KEY, embedding vector(${content.dimension}) NOT NULL)`,
    );
    // Rows that fit a page stay in it, uncompressed: numbers do not shrink, and the graph reads them often.
    if (content.dimension <= mostOfGraph - 32)
      await client.query(`ALTER TABLE ${quoted(table)} ALTER COLUMN embedding SET STORAGE PLAIN`);
    const row = Object.entries({ ...registerRow(content, noted), written: 0 });
    // Of a table that somebody dropped.
    await client.query(`DELETE FROM ${register} WHERE name = $1`, [table]);
    await client.query(
      `INSERT INTO ${register} (${row.map(([column]) => column)}) VALUES (${row.map((_, i) => `$${i + 1}`)})`,
      row.map(([, value]) => value),
    );
  });
}

/**
 * Keeps what the register says of a table until the transaction ends: other pushes of it wait.
 *
 * @returns how many rows are written.
 *
 * @throws FuzzError `storage`, where another push has taken the place.
 */
async function holdRegister(client: PostgresClient, { table, content }: Place): Promise<number> {
  const { rows } = await slowly<{
    readonly bundle: string;
    readonly profile: string;
    readonly written: number;
  }>(client, `SELECT bundle, profile, written FROM ${register} WHERE name = $1 FOR UPDATE`, [table]);
  checkOwner(rows[0], content, table);
  return rows[0]!.written;
}

async function write(
  pool: PostgresPool,
  { table, content }: Place,
  first: number,
  rows: readonly Float32Array[],
): Promise<void> {
  await within(pool, async (client) => {
    // Rows that are not there yet would be counted as written.
    const written = await holdRegister(client, { table, content });
    checkRowCount(Math.min(written, first), first, table);
    const { rows: types } = await client.query<{ readonly oid: number }>(
      "SELECT 'vector'::regtype::oid AS oid",
    );
    await client.query(
      `INSERT INTO ${quoted(table)} SELECT $1::int + place - 1, row FROM unnest($2::vector[]) WITH ORDINALITY AS rows(row, place)
       ON CONFLICT (id) DO UPDATE SET embedding = excluded.embedding`,
      [first, binaryVectors(rows, types[0]!.oid)],
    );
    // In the transaction of the rows: what is counted is there.
    await client.query(`UPDATE ${register} SET written = greatest(written, $2) WHERE name = $1`, [
      table,
      first + rows.length,
    ]);
  });
}

async function finish(
  pool: PostgresPool,
  { table, content, isExact }: Place & { readonly isExact: boolean },
  onBuilt: (rows: number) => void,
): Promise<void> {
  await within(pool, async (client) => {
    await client.query('SET LOCAL statement_timeout = 0');
    // Two that end at once would both build it.
    await holdRegister(client, { table, content });
    const { rows: counted } = await slowly<{ readonly count: number }>(
      client,
      `SELECT count(*)::int AS count FROM ${quoted(table)} WHERE id >= 0 AND id < $1`,
      [content.rows],
    );
    checkRowCount(counted[0]!.count, content.rows, table);
    if (!isExact) await buildGraph(pool, client, { table, content }, onBuilt);
    await client.query(`UPDATE ${register} SET complete = 1 WHERE name = $1`, [table]);
    await slowly(client, `ANALYZE ${quoted(table)}`);
  });
}

/** A transaction; where it fails, its connection is not used again. */
async function within<T>(pool: PostgresPool, work: (client: PostgresClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    const result = await work(client);
    await client.query('COMMIT');
    client.release();
    return result;
  } catch (cause) {
    client.release(true);
    throw cause;
  }
}
