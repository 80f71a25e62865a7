import { FuzzError } from '@fuzzqe/core';
import type { IndexHits, IndexSearch } from '@fuzzqe/engine';
import { registerTable as register } from '../address/index-address.ts';
import { bestHits, type Hit, hitsAmong, openIds } from '../store/best-hits.ts';
import { importDriver } from '../store/import-driver.ts';
import type { IndexContent, StoredIndex } from '../store/index-content.ts';
import {
  checkIdsOnce,
  checkOwner,
  checkRowCount,
  foreignPlace,
  registerColumns,
  registerRow,
  storedOf,
} from '../store/index-register.ts';
import type { IndexStore, OpenStore } from '../store/index-store.ts';
import type {
  ArrowDriver,
  LancedbConnection,
  LancedbDriver,
  LancedbQuery,
  LancedbTable,
} from './lancedb-driver.ts';
import { expectWritable, hasFolder, makeFolder } from './local-folder.ts';

/** Fewer rows than these are all looked at. */
const leastForGraph = 4096;
/** Rows of one graph; of more than these several are made, and all are searched: by inner products no row is near to one graph alone. */
const rowsOfGraph = 2_000_000;
/** Neighbours of a row, and how many are compared where it is put in: as in the other databases, and built 2.6 times faster than by LanceDB's own 20 and 300. */
const thoroughness = { m: 16, efConstruction: 128 };
/** How many rows a search of a graph keeps in view; a rough search, by its k. */
const usualEffort = 400;
const roughEffort = 4;
/** Of what the codes of 8 bits say is best, so many times k are compared by their rows. */
const refined = { exactly: 4, roughly: 2 } as const;
/** The most rows that a search of a graph gives. */
const mostFound = 1000;
/** An index in LanceDB, in a folder or an object store: HNSW over codes of 8 bits, refined by the rows, or every row. */
export const openLancedbStore: OpenStore = async ({ connection, table, content, method, effort }) => {
  // What it finds of partitions while it learns them is for its developers.
  process.env['LANCEDB_LOG'] ??= 'error';
  process.env['LANCE_LOG'] ??= 'error';
  const lancedb = await importDriver<LancedbDriver>('@lancedb/lancedb', ['apache-arrow']);
  const arrow = await importDriver<ArrowDriver>('apache-arrow');
  const [place = '', query = ''] = connection.split('?', 2);
  const isRemote = /^[a-z0-9]+:\/\//i.test(place);
  const storageOptions = Object.fromEntries(new URLSearchParams(query));
  let connected: Promise<LancedbConnection> | undefined;
  const connect = async (): Promise<LancedbConnection> => {
    try {
      return await lancedb.connect(place, { storageOptions });
    } catch (cause) {
      // It asks an object store at once: the next call tries it again.
      connected = undefined;
      throw cause;
    }
  };
  const database: Database = {
    isThere: async () => isRemote || connected !== undefined || (await hasFolder(place)),
    async make() {
      if (!isRemote) await makeFolder(place);
    },
    async expectWritable() {
      if (!isRemote) await expectWritable(place);
    },
    open: () => (connected ??= connect()),
    async close() {
      (await connected?.catch(() => undefined))?.close();
    },
  };
  return createStore({ database, lancedb, arrow }, table, {
    isExact: method === 'exact',
    content,
    effort,
  });
};

/** A place that is connected to when it is first asked. */
interface Database {
  /** Whether it can be opened without being made: who reads leaves no folder behind. */
  isThere(): Promise<boolean>;
  make(): Promise<void>;
  expectWritable(): Promise<void>;
  open(): Promise<LancedbConnection>;
  close(): Promise<void>;
}

interface Drivers {
  readonly database: Database;
  readonly lancedb: LancedbDriver;
  readonly arrow: ArrowDriver;
}

interface Form {
  readonly isExact: boolean;
  readonly content: IndexContent;
  /** Undefined as by default. */
  readonly effort: number | undefined;
}

function createStore({ database, lancedb, arrow }: Drivers, name: string, form: Form): IndexStore {
  const { isExact, content } = form;
  let opened: Promise<LancedbTable> | undefined;
  const table = (): Promise<LancedbTable> => {
    opened ??= database
      .open()
      .then((there) => there.openTable(name))
      .catch((cause: unknown) => {
        opened = undefined;
        throw cause;
      });
    return opened;
  };
  /** As it lies there now; one that was opened before it was replaced reads files that are gone. */
  const reopened = async (): Promise<LancedbTable> => {
    const before = opened;
    opened = undefined;
    (await before?.catch(() => undefined))?.close();
    return table();
  };
  const checkOurs = async (): Promise<void> =>
    checkOwner(await readRegister(await database.open(), name), content, name);
  let writing: Promise<unknown> = Promise.resolve();
  /** So many rows are known to be those of the ids 0, 1, 2, …; all that are there where nobody else writes. */
  let known = 0;
  const append = async (first: number, vectors: readonly Float32Array[]): Promise<void> => {
    await database.expectWritable();
    await checkOurs();
    const rows = await reopened();
    const end = first + vectors.length;
    const before = await rows.countRows();
    if (before !== known) checkIdsOnce(await readIds(rows), before, name);
    known = before;
    if (before >= end) return;
    // A part of them can be there alone where they are written in other portions than the last time.
    checkRowCount(Math.min(before, first), first, name);
    const missing = vectors.slice(before - first);
    await rows.add(rowTable(arrow, before, missing));
    // Another push of the same rows: each would write them once.
    checkRowCount(await rows.countRows(), end, name);
    known = end;
  };
  const forget = async (): Promise<void> => {
    const there = await database.open();
    const names = await there.tableNames();
    if (names.includes(register)) await (await there.openTable(register)).delete(`name = '${name}'`);
  };
  const note = async (of: IndexContent): Promise<void> => {
    const there = await database.open();
    const names = await there.tableNames();
    const notes = names.includes(register)
      ? await there.openTable(register)
      : await there.createEmptyTable(register, registerSchema(arrow));
    await notes
      .mergeInsert('name')
      .whenMatchedUpdateAll()
      .whenNotMatchedInsertAll()
      .execute([
        registerRow(of, { table: name, method: isExact ? 'exact' : 'approximate', complete: false }),
      ]);
  };
  return {
    capabilities: {
      exact: isExact,
      maxTopK: isExact ? content.rows : mostFound,
      metric: 'innerProduct',
    },
    async read() {
      if (!(await database.isThere())) return undefined;
      const there = await database.open();
      const names = await there.tableNames();
      const stored = names.includes(register) ? await readRegister(there, name) : undefined;
      if (stored === undefined && names.includes(name))
        throw foreignPlace('table', name, 'a table that no fuzzqe index push made');
      // The register is written before the table: alone it is of a push that was stopped in between.
      if (stored === undefined || !names.includes(name)) return undefined;
      const rows = await table();
      await rows.checkoutLatest();
      return { ...stored, written: await rows.countRows() };
    },
    async create(of) {
      await database.make();
      await database.expectWritable();
      await note(of);
      opened = undefined;
      known = 0;
      // An attempt that was not heard of may have made it.
      const there = await database.open();
      if ((await there.tableNames()).includes(name)) await checkEmpty(await table(), of, name);
      else await there.createEmptyTable(name, rowSchema(arrow, of.dimension));
    },
    write(first, vectors) {
      // An attempt that nobody waits for any more may still be writing: the next begins behind it, and sees what it wrote.
      const attempt = writing.then(() => append(first, vectors));
      writing = attempt.catch(() => undefined);
      return attempt;
    },
    async finish(of) {
      await database.expectWritable();
      await checkOurs();
      const rows = await reopened();
      const count = of.rows;
      checkIdsOnce(await readIds(rows), count, name);
      await rows.optimize();
      await rows.createIndex('id', { config: lancedb.Index.btree(), replace: true });
      if (!isExact && count >= leastForGraph)
        await rows.createIndex('embedding', {
          config: lancedb.Index.hnswSq({
            distanceType: 'dot',
            numPartitions: graphsOf(count),
            ...thoroughness,
          }),
          replace: true,
        });
      // Building takes long: what another push wrote meanwhile is in it or behind it.
      await rows.checkoutLatest();
      checkRowCount(await rows.countRows(), count, name);
      const notes = await (await database.open()).openTable(register);
      const where = `name = '${name}' AND bundle = '${of.bundle}' AND profile = '${of.profile}'`;
      // Only of what is still ours.
      await notes.update({ where, values: { complete: 1 } });
      await checkOurs();
    },
    async remove() {
      await database.expectWritable();
      const there = await database.open();
      opened = undefined;
      if ((await there.tableNames()).includes(name)) await there.dropTable(name);
      await forget();
    },
    async search(search) {
      try {
        return await find(await table(), content.rows, search, form);
      } catch (cause) {
        throw forbiddenFile(cause, name) ?? cause;
      }
    },
    async close() {
      (await opened?.catch(() => undefined))?.close();
      await database.close();
    },
  };
}

/**
 * Refuses a table that has rows already, or rows of another form.
 *
 * @throws FuzzError `storage`.
 */
async function checkEmpty(table: LancedbTable, { dimension }: IndexContent, name: string): Promise<void> {
  const { fields } = await table.schema();
  const isOurs = fields.some(
    (field) => field.name === 'embedding' && Reflect.get(field.type, 'listSize') === dimension,
  );
  if (!isOurs || (await table.countRows()) > 0)
    throw foreignPlace('table', name, 'a table of another form, or with rows');
}

/** The ids of all rows, in parts, as they lie there. */
async function readIds(table: LancedbTable): Promise<readonly Int32Array[]> {
  const parts: Int32Array[] = [];
  for await (const batch of table.query().select(['id'])) {
    const ids = batch.getChild('id')?.toArray();
    if (ids !== undefined) parts.push(ids);
  }
  return parts;
}

const graphsOf = (rows: number): number => Math.max(1, Math.ceil(rows / rowsOfGraph));

async function find(
  table: LancedbTable,
  rows: number,
  { embedding, k, allowed, excluded, rough }: IndexSearch,
  { isExact, effort = rough ? roughEffort * k : usualEffort }: Form,
): Promise<IndexHits> {
  const open = openIds({ allowed, excluded });
  if (open?.length === 0) return bestHits([]);
  const nearest = (): LancedbQuery =>
    table.query().nearestTo(embedding).distanceType('dot').select(['id', '_distance']).limit(k);
  // A graph may lead past all that is allowed.
  const exactly = (query: LancedbQuery): LancedbQuery => query.bypassVectorIndex();
  const times = rough ? refined.roughly : refined.exactly;
  const roughly = (query: LancedbQuery): LancedbQuery =>
    query
      .nprobes(graphsOf(rows))
      .ef(Math.max(effort, 2 * times * k))
      .refineFactor(times);
  const found = async (query: LancedbQuery): Promise<readonly Hit[]> =>
    // Distances are 1 − Σ xᵢ·pᵢ.
    (await query.toArray()).map((row) => ({ id: Number(row['id']), score: 1 - Number(row['_distance']) }));
  if (open !== undefined) {
    const among = (part: Int32Array) => found(exactly(nearest().where(`id IN (${part.join()})`)));
    return bestHits(await hitsAmong(open, among), k);
  }
  const some = excluded === undefined ? (query: LancedbQuery) => query : without(excluded);
  const all = (): Promise<readonly Hit[]> => found(exactly(some(nearest())));
  if (isExact) return bestHits(await all(), k);
  const hits = await found(roughly(some(nearest())));
  const possible = rows - (excluded?.length ?? 0);
  return bestHits(hits.length < Math.min(k, possible) ? await all() : hits, k);
}

const without =
  (excluded: Int32Array) =>
  (query: LancedbQuery): LancedbQuery =>
    excluded.length === 0 ? query : query.where(`id NOT IN (${excluded.join()})`);

/** Rows as they lie in a table. */
function rowSchema({ Schema, Field, Int32, Float32, FixedSizeList }: ArrowDriver, dimension: number) {
  const item = new Field('item', new Float32(), true);
  return new Schema([
    new Field('id', new Int32(), false),
    new Field('embedding', new FixedSizeList(dimension, item), false),
  ]);
}

/** Rows from an id on. Numbers go as they lie in memory: an object for each would take many times as long. */
function rowTable(arrow: ArrowDriver, first: number, vectors: readonly Float32Array[]): unknown {
  const dimension = vectors[0]!.length;
  const numbers = new Float32Array(vectors.length * dimension);
  vectors.forEach((row, i) => {
    numbers.set(row, i * dimension);
  });
  const length = vectors.length;
  const [id, item] = [new arrow.Int32(), new arrow.Float32()];
  const child = arrow.makeData({ type: item, length: numbers.length, data: numbers });
  const list = new arrow.FixedSizeList(dimension, new arrow.Field('item', item, true));
  return new arrow.Table(rowSchema(arrow, dimension), {
    id: arrow.makeData({ type: id, length, data: Int32Array.from(vectors, (_, i) => first + i) }),
    embedding: arrow.makeData({ type: list, length, child }),
  });
}

const textColumns = ['name', ...registerColumns.text];
const numberColumns = registerColumns.number;

function registerSchema({ Schema, Field, Utf8, Int32 }: ArrowDriver): unknown {
  return new Schema([
    ...textColumns.map((column) => new Field(column, new Utf8(), false)),
    ...numberColumns.map((column) => new Field(column, new Int32(), false)),
  ]);
}

/** LanceDB makes files that only their maker may read, and says in a text alone that another may not (EACCES). */
function forbiddenFile(cause: unknown, name: string): FuzzError | undefined {
  if (!(cause instanceof Error && /\(os error 13\)/.test(cause.message))) return undefined;
  return new FuzzError('storage', 'cannot read the files of the index: reading is forbidden (EACCES)', {
    path: name,
    hint: 'Let this user read all files of its folder: only who pushed them may.',
    cause,
  });
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
    .catch((cause: unknown) => {
      throw forbiddenFile(cause, name) ?? foreignPlace('table', register, 'a table of another form');
    });
  const [row] = rows;
  return row && storedOf(row);
}
