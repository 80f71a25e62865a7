import { mkdir } from 'node:fs/promises';
import { FuzzError } from '@fuzzqe/core';
import type { IndexHits, IndexSearch } from '@fuzzqe/engine';
import { registerTable as register } from '../address/index-address.ts';
import { importDriver } from '../store/import-driver.ts';
import type { IndexContent, StoredIndex } from '../store/index-content.ts';
import type { IndexStore, OpenStore } from '../store/index-store.ts';
import type {
  ArrowDriver,
  LancedbConnection,
  LancedbDriver,
  LancedbQuery,
  LancedbTable,
} from './lancedb-driver.ts';

/** Fewer rows than these are all looked at. */
const leastForGraph = 4096;
/** Rows of one graph; of more than these several are made, and all are searched: by inner products no row is near to one graph alone. */
const rowsOfGraph = 2_000_000;
/** How many rows a search of a graph keeps in view. */
const usualEffort = 400;
/** Of what the codes of 8 bits say is best, so many times k are compared by their rows. */
const refined = 4;
/** The most rows that a search of a graph gives. */
const mostFound = 1000;
/** The most ids that a condition lists; longer lists are looked up in parts. */
const mostListed = 20_000;

/** An index in LanceDB, in a folder or an object store: HNSW over codes of 8 bits, refined by the rows, or every row. */
export const openLancedbStore: OpenStore = async ({ connection, table, content, method, effort }) => {
  // What it finds of partitions while it learns them is for its developers.
  process.env['LANCEDB_LOG'] ??= 'error';
  process.env['LANCE_LOG'] ??= 'error';
  const lancedb = await importDriver<LancedbDriver>('@lancedb/lancedb', ['apache-arrow']);
  const arrow = await importDriver<ArrowDriver>('apache-arrow');
  const [place = '', query = ''] = connection.split('?', 2);
  const isRemote = /^[a-z0-9]+:\/\//i.test(place);
  if (!isRemote) await mkdir(place, { recursive: true });
  const storageOptions = Object.fromEntries(new URLSearchParams(query));
  const database = await lancedb.connect(place, { storageOptions });
  return createStore({ database, lancedb, arrow }, table, {
    isExact: method === 'exact',
    content,
    effort: effort ?? usualEffort,
  });
};

interface Drivers {
  readonly database: LancedbConnection;
  readonly lancedb: LancedbDriver;
  readonly arrow: ArrowDriver;
}

interface Form {
  readonly isExact: boolean;
  readonly content: IndexContent;
  readonly effort: number;
}

function createStore({ database, lancedb, arrow }: Drivers, name: string, form: Form): IndexStore {
  const { isExact, content, effort } = form;
  let opened: Promise<LancedbTable> | undefined;
  const table = (): Promise<LancedbTable> => {
    opened ??= database.openTable(name).catch((cause: unknown) => {
      opened = undefined;
      throw cause;
    });
    return opened;
  };
  const forget = async (): Promise<void> => {
    await database.tableNames().then(async (names) => {
      if (names.includes(register)) await (await database.openTable(register)).delete(`name = '${name}'`);
    });
  };
  const note = async (of: IndexContent, complete: boolean): Promise<void> => {
    const names = await database.tableNames();
    const notes = names.includes(register)
      ? await database.openTable(register)
      : await database.createEmptyTable(register, registerSchema(arrow));
    const { bundle, profile, metric, dimension, rows } = of;
    const fields = { bundle, bundle_name: of.name, profile, metric, dimension, row_count: rows };
    await notes
      .mergeInsert('name')
      .whenMatchedUpdateAll()
      .whenNotMatchedInsertAll()
      .execute([{ name, ...fields, complete: complete ? 1 : 0 }]);
  };
  return {
    capabilities: {
      exact: isExact,
      maxTopK: isExact ? content.rows : mostFound,
      metric: 'innerProduct',
    },
    async read() {
      const names = await database.tableNames();
      const stored = names.includes(register) ? await readRegister(database, name) : undefined;
      if (stored === undefined && names.includes(name))
        throw foreign(name, 'a table that no fuzzqe index push made');
      // The register is written after the table: a table alone is of a push that was stopped in between.
      if (stored === undefined || !names.includes(name)) return undefined;
      const rows = await table();
      await rows.checkoutLatest();
      return { ...stored, written: Math.min(await rows.countRows(), stored.rows) };
    },
    async create(of) {
      await note(of, false);
      const item = new arrow.Field('item', new arrow.Float32(), true);
      const columns = [
        new arrow.Field('id', new arrow.Int32(), false),
        new arrow.Field('embedding', new arrow.FixedSizeList(of.dimension, item), false),
      ];
      opened = undefined;
      // An attempt that was not heard of may have made it.
      if ((await database.tableNames()).includes(name)) await checkEmpty(await table(), of, name);
      else await database.createEmptyTable(name, new arrow.Schema(columns));
    },
    async write(first, vectors) {
      const rows = await table();
      // A write that was not heard of may have come through, or may yet: rows that are there are written over.
      await rows
        .mergeInsert('id')
        .whenMatchedUpdateAll()
        .whenNotMatchedInsertAll()
        .execute(vectors.map((embedding, i) => ({ id: first + i, embedding: Array.from(embedding) })));
    },
    async finish(of) {
      const rows = await table();
      const count = await rows.countRows();
      if (count !== of.rows)
        throw new FuzzError('storage', `expected ${of.rows} rows, got ${count}`, {
          path: name,
          hint: 'Another push wrote there at the same time, or rows were removed: push again with --replace.',
        });
      await rows.optimize();
      await rows.createIndex('id', { config: lancedb.Index.btree(), replace: true });
      if (!isExact && count >= leastForGraph)
        await rows.createIndex('embedding', {
          config: lancedb.Index.hnswSq({ distanceType: 'dot', numPartitions: graphsOf(count) }),
          replace: true,
        });
      await note(of, true);
    },
    async remove() {
      const names = await database.tableNames();
      opened = undefined;
      if (names.includes(name)) await database.dropTable(name);
      await forget();
    },
    search: async (search) => find(await table(), content.rows, search, isExact ? undefined : effort),
    async close() {
      (await opened)?.close();
      database.close();
    },
  };
}

/** Refuses a table that has rows already, or rows of another form. Throws: 'storage'. */
async function checkEmpty(table: LancedbTable, { dimension }: IndexContent, name: string): Promise<void> {
  const { fields } = await table.schema();
  const isOurs = fields.some(
    (field) => field.name === 'embedding' && Reflect.get(field.type, 'listSize') === dimension,
  );
  if (!isOurs || (await table.countRows()) > 0) throw foreign(name, 'a table of another form, or with rows');
}

const graphsOf = (rows: number): number => Math.max(1, Math.ceil(rows / rowsOfGraph));

async function find(
  table: LancedbTable,
  rows: number,
  { embedding, k, allowed, excluded }: IndexSearch,
  effort: number | undefined,
): Promise<IndexHits> {
  const left = excluded === undefined ? undefined : new Set(excluded);
  const open = allowed === undefined || left === undefined ? allowed : allowed.filter((id) => !left.has(id));
  if (open?.length === 0) return { ids: new Int32Array(), scores: new Float32Array() };
  const nearest = (): LancedbQuery =>
    table.query().nearestTo(embedding).distanceType('dot').select(['id', '_distance']).limit(k);
  // A graph may lead past all that is allowed.
  const exactly = (query: LancedbQuery): LancedbQuery => query.bypassVectorIndex();
  const roughly = (query: LancedbQuery): LancedbQuery =>
    query
      .nprobes(graphsOf(rows))
      .ef(Math.max(effort ?? 0, 2 * refined * k))
      .refineFactor(refined);
  if (open !== undefined) {
    const parts: Readonly<Record<string, unknown>>[] = [];
    for (let from = 0; from < open.length; from += mostListed)
      parts.push(
        ...(await exactly(
          nearest().where(`id IN (${open.subarray(from, from + mostListed).join()})`),
        ).toArray()),
      );
    return hitsOf(parts, k);
  }
  const some = excluded === undefined ? (query: LancedbQuery) => query : without(excluded);
  if (effort === undefined) return hitsOf(await exactly(some(nearest())).toArray(), k);
  const found = await roughly(some(nearest())).toArray();
  const possible = rows - (excluded?.length ?? 0);
  return hitsOf(found.length < Math.min(k, possible) ? await exactly(some(nearest())).toArray() : found, k);
}

const without =
  (excluded: Int32Array) =>
  (query: LancedbQuery): LancedbQuery =>
    excluded.length === 0 ? query : query.where(`id NOT IN (${excluded.join()})`);

/** Distances are 1 − Σ xᵢ·pᵢ. */
function hitsOf(rows: readonly Readonly<Record<string, unknown>>[], k: number): IndexHits {
  const best = rows
    .map((row) => ({ id: Number(row['id']), score: 1 - Number(row['_distance']) }))
    .sort((a, b) => b.score - a.score || a.id - b.id)
    .slice(0, k);
  return {
    ids: Int32Array.from(best, ({ id }) => id),
    scores: Float32Array.from(best, ({ score }) => score),
  };
}

const textColumns = ['name', 'bundle', 'bundle_name', 'profile', 'metric'];
const numberColumns = ['dimension', 'row_count', 'complete'];

function registerSchema({ Schema, Field, Utf8, Int32 }: ArrowDriver): unknown {
  return new Schema([
    ...textColumns.map((column) => new Field(column, new Utf8(), false)),
    ...numberColumns.map((column) => new Field(column, new Int32(), false)),
  ]);
}

async function readRegister(
  database: LancedbConnection,
  name: string,
): Promise<Omit<StoredIndex, 'written'> | undefined> {
  const notes = await database.openTable(register);
  const rows = await notes
    .query()
    .where(`name = '${name}'`)
    .select([...textColumns, ...numberColumns])
    .toArray()
    .catch(() => {
      throw foreign(register, 'a table of another form');
    });
  const [row] = rows;
  if (row === undefined) return undefined;
  return {
    bundle: String(row['bundle']),
    name: String(row['bundle_name']),
    profile: String(row['profile']),
    // Another metric is refused by whoever compares it.
    metric: row['metric'] as 'innerProduct',
    dimension: Number(row['dimension']),
    rows: Number(row['row_count']),
    complete: Number(row['complete']) === 1,
  };
}

function foreign(table: string, what: string): FuzzError {
  return new FuzzError('storage', `expected an index of fuzzqe or no table ${table}, got ${what}`, {
    path: table,
    hint: 'Give another ?table= or another place; nothing was changed.',
  });
}
