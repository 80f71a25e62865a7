import { join } from 'node:path';
import { FuzzError, importOptional, messageOf } from '@fuzzqe/core';
import type { FetchedFile } from './fetched-file.ts';
import { openRowSink, type RowSink } from './row-sink.ts';
import { createWatch, type SourceTask } from './watch.ts';

/** What of `pg` is used. */
interface Client {
  connect(): Promise<unknown>;
  query(statement: string): Promise<unknown>;
  query(cursor: Cursor): Cursor;
  on(event: 'error' | 'end', listener: (error?: Error) => void): unknown;
  end(): Promise<void>;
}

/** What of `pg-cursor` is used. */
interface Cursor {
  read(
    rows: number,
    take: (
      error: Error | undefined,
      rows: readonly Row[],
      result?: { readonly fields: readonly Field[] },
    ) => void,
  ): void;
}

type Row = readonly (string | null)[];
interface Field {
  readonly name: string;
}

interface Drivers {
  readonly Client: new (options: object) => Client;
  readonly Cursor: new (text: string, values: readonly never[], options: object) => Cursor;
}

async function importDrivers(): Promise<Drivers> {
  // Named at run time: nothing has to be installed to compile this package.
  const load = (name: string): Promise<Readonly<Record<string, unknown>>> =>
    importOptional(name, 'npm install pg pg-cursor', () => import(name));
  const [pg, cursor] = [await load('pg'), await load('pg-cursor')];
  const { Client } = pg['default'] as { readonly Client: Drivers['Client'] };
  return { Client, Cursor: cursor['default'] as Drivers['Cursor'] };
}

/** Characters to ask for at a time, and rows at first and at most. */
const [wanted, firstRows, mostRows] = [2 ** 22, 100, 10_000];

/**
 * Reads the rows of a PostgreSQL query with a cursor, in a transaction that writes nothing, and keeps them as CSV; NULL is empty.
 *
 * Values are texts as PostgreSQL writes them, save `true`, `false` and the zone of a time. Memory: about 4 MiB of rows, or a row.
 *
 * @throws FuzzError `runtime`: a package that is not installed; a server that is not there, refuses, sends nothing for too long or
 *   goes away, with the number of rows. `storage`, `interrupted`.
 */
export async function fetchPostgres(task: SourceTask): Promise<FetchedFile> {
  const { address, folder, patience } = task;
  const { place, url, query } = address;
  const { Client, Cursor } = await importDrivers();
  let sink: RowSink | undefined;
  const soFar = (): string => `${sink?.rows ?? 0} rows`;
  const watch = createWatch(task, soFar);
  let client: Client | undefined;
  const path = join(folder, 'answer.csv');
  try {
    client = new Client({
      connectionString: url.href,
      application_name: 'fuzzqe',
      connectionTimeoutMillis: patience,
      keepAlive: true,
    });
    client.on('error', (error) => watch.fail(error));
    client.on('end', () => watch.fail(new Error('the connection ended')));
    await watch.for(client.connect());
    await watch.for(client.query('BEGIN READ ONLY; SET LOCAL DateStyle = ISO'));
    const cursor = client.query(new Cursor(query, [], { rowMode: 'array', types: { getTypeParser } }));
    for (let count = firstRows; ; ) {
      const { rows, fields } = await watch.for(read(cursor, count));
      sink ??= await openRowSink(
        path,
        fields.map(({ name }) => name),
      );
      if (rows.length === 0) break;
      const before = sink.bytes;
      for (const row of rows) await sink.add(row.map((cell) => cell ?? ''));
      const each = Math.max(1, (sink.bytes - before) / rows.length);
      count = Math.min(mostRows, Math.max(1, Math.floor(wanted / each)), 4 * count);
    }
  } catch (cause) {
    throw refused(cause, place, soFar());
  } finally {
    watch.end();
    await sink?.close();
    // At once where a statement is under way.
    await client?.end().catch(() => {});
  }
  return { path, isTitled: true, notes: [] };
}

function read(
  cursor: Cursor,
  count: number,
): Promise<{ readonly rows: readonly Row[]; readonly fields: readonly Field[] }> {
  return new Promise((resolve, reject) =>
    cursor.read(count, (error, rows, result) =>
      // After the last row there is no result.
      error ? reject(error) : resolve({ rows, fields: result?.fields ?? [] }),
    ),
  );
}

/** Values stay texts, in the forms by which tables are read. Source: the ids of pg_type.dat. */
function getTypeParser(id: number): (text: string) => string {
  const [boolean, timestampWithZone] = [16, 1184];
  if (id === boolean) return (text) => (text === 't' ? 'true' : 'false');
  // ISO 8601 has minutes in the zone.
  if (id === timestampWithZone) return (text) => text.replace(/[+-]\d\d$/, '$&:00');
  return (text) => text;
}

function refused(cause: unknown, place: string, soFar: string): unknown {
  if (cause instanceof FuzzError) return cause;
  // SQLSTATE: what the server says of the statement, the role or the database.
  const state =
    cause instanceof Error && 'severity' in cause && 'code' in cause ? String(cause.code) : undefined;
  const [line = ''] = reasonOf(cause).split('\n', 1);
  const said = JSON.stringify(line.slice(0, 300));
  if (state?.startsWith('42'))
    return new FuzzError('usage', `query: PostgreSQL refuses it: ${said} (${state})`, {
      path: place,
      hint: 'Check the query, as with psql.',
      cause,
    });
  return new FuzzError(
    'runtime',
    `source: expected rows of PostgreSQL, got ${said}${state === undefined ? '' : ` (${state})`} after ${soFar}`,
    {
      path: place,
      hint: 'Nothing was written. Check the server and the user; a password can come from PGPASSWORD.',
      cause,
    },
  );
}

/** Where a host has several addresses, each has a reason of its own. */
function reasonOf(cause: unknown): string {
  const first = cause instanceof AggregateError ? cause.errors[0] : cause;
  return messageOf(first);
}
