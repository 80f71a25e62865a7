import { randomUUID } from 'node:crypto';
import { FuzzError } from '@fuzzqe/core';
import type { Head } from '../shared/shared-place.ts';
import type { PostgresClient } from './postgres-driver.ts';
import { stateOf } from './postgres-error.ts';

/** The number of the schema that this version writes and reads. */
const format = 1;

/** The tables of a store, quoted. */
export interface PostgresTables {
  readonly batches: string;
  readonly keys: string;
  readonly store: string;
  /** The name without quotes, which is the channel of notifications as well. */
  readonly name: string;
}

/** The tables by the name of the first. */
export function tablesOf(name: string): PostgresTables {
  return { name, batches: `"${name}"`, keys: `"${name}_keys"`, store: `"${name}_store"` };
}

/** Makes the tables if they are not there. */
export async function makeTables(client: PostgresClient, tables: PostgresTables): Promise<void> {
  const { rows } = await client.query<{ readonly found: boolean }>(
    'SELECT to_regclass($1) IS NOT NULL AS found',
    [tables.store],
  );
  if (rows[0]?.found === true) return;
  // Two that begin at once would both make them.
  await client.query(
    `BEGIN; SELECT pg_advisory_xact_lock(hashtext('${tables.name}'));
     CREATE TABLE IF NOT EXISTS ${tables.batches} (epoch bigint PRIMARY KEY, batch text NOT NULL);
     CREATE TABLE IF NOT EXISTS ${tables.keys} (key text PRIMARY KEY, epoch bigint NOT NULL);
     CREATE TABLE IF NOT EXISTS ${tables.store} (
       one boolean PRIMARY KEY DEFAULT true CHECK (one), format integer NOT NULL, id text NOT NULL,
       epoch bigint NOT NULL, compacted bigint NOT NULL
     );
     INSERT INTO ${tables.store} (format, id, epoch, compacted)
       VALUES (${format}, '${randomUUID()}', 0, 0) ON CONFLICT DO NOTHING;
     COMMIT`,
  );
}

interface StoreRow {
  readonly format: number;
  readonly id: string;
  readonly epoch: string;
  readonly compacted: string;
}

/**
 * How far the store is, and its id.
 *
 * @param lock whether other writers wait until the transaction ends.
 * @throws FuzzError `data`: tables of another kind, or of a newer version.
 */
export async function readHead(
  client: PostgresClient,
  tables: PostgresTables,
  lock: '' | 'FOR UPDATE' = '',
): Promise<Head & { readonly id: string }> {
  const { rows } = await client
    .query<StoreRow>(`SELECT format, id, epoch, compacted FROM ${tables.store} ${lock}`)
    .catch((cause: unknown) => {
      // Undefined columns and tables.
      throw ['42703', '42P01'].includes(stateOf(cause) ?? '')
        ? notAStore(tables, 'another table', cause)
        : cause;
    });
  const [row] = rows;
  if (row === undefined) throw notAStore(tables, 'an empty table');
  if (row.format !== format) throw notAStore(tables, `format ${row.format}`);
  return { id: row.id, epoch: Number(row.epoch), compacted: Number(row.compacted) };
}

function notAStore({ store, name }: PostgresTables, got: string, cause?: unknown): FuzzError {
  return new FuzzError('data', `${store}: expected a store of facts of format ${format}, got ${got}`, {
    path: name,
    hint: 'Name another table: postgres://host/database?table=NAME.',
    ...(cause === undefined ? {} : { cause }),
  });
}
