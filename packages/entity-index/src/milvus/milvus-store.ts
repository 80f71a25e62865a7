import { setTimeout } from 'node:timers/promises';
import type { IndexHits, IndexSearch } from '@fuzzqe/engine';
import type { IndexMethod } from '../address/index-address.ts';
import { registerTable as register } from '../address/index-address.ts';
import { bestHits, type Hit, hitsAmong, openIds } from '../store/best-hits.ts';
import { importDriver } from '../store/import-driver.ts';
import type { IndexContent, StoredIndex } from '../store/index-content.ts';
import {
  checkOwner,
  checkRowCount,
  foreignPlace,
  registerColumns,
  registerRow,
  storedOf,
} from '../store/index-register.ts';
import type { IndexStore, OpenStore } from '../store/index-store.ts';
import { accepted, createMilvusConnection, type MilvusConnection } from './milvus-connection.ts';
import type { MilvusClient, MilvusDriver } from './milvus-driver.ts';

/** How many rows a search of the graph keeps in view. */
const usualEffort = 200;
/** The most rows that a search gives, as Milvus limits it. */
const mostFound = 16_384;
/** Of no more rows than these, none is looked for by a graph. */
const leastAllowed = 1000;
/** Rows with their numbers in one answer. */
const readAtOnce = 2000;
/** How often it is asked whether the graph is built, in milliseconds. */
const glance = 500;

/** An index in Milvus: HNSW, or every row. */
export const openMilvusStore: OpenStore = async ({ table, content, method, effort, ...address }) => {
  const driver = await importDriver<MilvusDriver>('@zilliz/milvus2-sdk-node');
  const connection = createMilvusConnection(driver, address);
  return createStore(connection, table, content, { method, effort: effort ?? usualEffort });
};

interface Form {
  readonly method: IndexMethod;
  readonly effort: number;
}

function createStore(
  connection: MilvusConnection,
  table: string,
  content: IndexContent,
  { method, effort }: Form,
): IndexStore {
  const { rows } = content;
  const note = async (of: IndexContent, complete: boolean): Promise<void> => {
    const client = await connection.client();
    await makeRegister(client);
    // Every collection has a vector.
    const row = { ...registerRow(of, { table, method, complete }), place: [0, 0] };
    await accepted(client.upsert({ collection_name: register, data: [row] }));
  };
  const prepare = (client: MilvusClient): Promise<void> =>
    ready(client, table, 'embedding', {
      index_type: method === 'exact' ? 'FLAT' : 'HNSW',
      metric_type: 'IP',
      params: method === 'exact' ? {} : { M: 16, efConstruction: 128 },
    });
  const checkOurs = async (client: MilvusClient): Promise<void> =>
    checkOwner(await noted(client, table), content, table);
  let isPrepared = false;
  return {
    capabilities: {
      exact: method === 'exact',
      maxTopK: Math.min(rows, mostFound),
      metric: 'innerProduct',
    },
    async read() {
      const client = await connection.client();
      const isThere = await has(client, table);
      const stored = await readRegister(client, table);
      if (stored === undefined && isThere)
        throw foreignPlace('collection', table, 'a collection that no fuzzqe index push made');
      // The register is written before the collection: alone it is of a push that was stopped in between.
      if (stored === undefined || !isThere) return undefined;
      const { state } = await accepted(client.getLoadState({ collection_name: table }));
      // Without its index it cannot be loaded: a push that was stopped before the first row.
      if (!isLoaded(state) && !(await hasIndex(client, table))) return { ...stored, written: 0 };
      if (!isLoaded(state)) await accepted(client.loadCollectionSync({ collection_name: table }));
      return { ...stored, written: await countRows(client, table) };
    },
    async create(of) {
      const client = await connection.client();
      await note(of, false);
      if (!(await has(client, table)))
        await accepted(
          client.createCollection({
            collection_name: table,
            fields: [
              { name: 'id', data_type: 'Int64', is_primary_key: true },
              { name: 'embedding', data_type: 'FloatVector', dim: of.dimension },
            ],
            // A write is then there as a whole or not at all.
            shards_num: 1,
          }),
        );
      await prepare(client);
      isPrepared = true;
    },
    async write(first, vectors) {
      const client = await connection.client();
      if (!isPrepared) await prepare(client);
      isPrepared = true;
      await checkOurs(client);
      const data = vectors.map((embedding, i) => ({ id: first + i, embedding: Array.from(embedding) }));
      await accepted(client.upsert({ collection_name: table, data }));
      // Milvus has no transactions: anyone who took the place meanwhile has to be told.
      await checkOurs(client);
    },
    async finish(of, onBuilt) {
      const client = await connection.client();
      await checkOurs(client);
      await prepare(client);
      await accepted(client.flushSync({ collection_names: [table] }));
      for (;;) {
        const left = await pendingRows(client, table);
        if (left === undefined) break;
        onBuilt(of.rows - left);
        await setTimeout(glance);
      }
      // A key is there once, so that as many as there are ids are all of them.
      checkRowCount(await countRows(client, table, `id >= 0 and id < ${of.rows}`), of.rows, table);
      checkRowCount(await countRows(client, table), of.rows, table);
      await checkOurs(client);
      await note(of, true);
    },
    async remove() {
      const client = await connection.client();
      isPrepared = false;
      if (await has(client, table)) await accepted(client.dropCollection({ collection_name: table }));
      if (await has(client, register))
        await accepted(client.delete({ collection_name: register, filter: `name == "${table}"` }));
    },
    search: async (search) => find(await connection.client(), table, rows, search, { method, effort }),
    close: () => connection.close(),
  };
}

async function find(
  client: MilvusClient,
  table: string,
  rows: number,
  { embedding, k, allowed, excluded }: IndexSearch,
  { method, effort }: Form,
): Promise<IndexHits> {
  const open = openIds({ allowed, excluded });
  const possible = open?.length ?? rows - (excluded?.length ?? 0);
  if (possible === 0) return bestHits([]);
  const look = async (
    filter: string,
    far: number,
    consistency: 'Strong' | 'Bounded',
  ): Promise<readonly Hit[]> => {
    const { results } = await accepted(
      client.search({
        collection_name: table,
        data: Array.from(embedding),
        anns_field: 'embedding',
        limit: k,
        filter,
        params: method === 'exact' ? {} : { ef: Math.max(far, k) },
        output_fields: ['id'],
        consistency_level: consistency,
      }),
    );
    return results.map(({ id, score }) => ({ id: Number(id), score }));
  };
  const lookAll = async (far: number, consistency: 'Strong' | 'Bounded'): Promise<readonly Hit[]> => {
    if (open === undefined) {
      const without = excluded === undefined || excluded.length === 0 ? '' : `id not in [${excluded.join()}]`;
      return look(without, far, consistency);
    }
    return hitsAmong(open, (part) => look(`id in [${part.join()}]`, far, consistency));
  };
  const wanted = Math.min(k, possible);
  // A graph leads past most of what is left where little may be found.
  if (method === 'exact' || possible > leastAllowed) {
    const found = await lookAll(effort, 'Bounded');
    if (found.length >= wanted) return bestHits(found, k);
    // It was led through what may not be found, or the rows were written a moment ago.
    const more = await lookAll(mostFound, 'Strong');
    if (more.length >= wanted) return bestHits(more, k);
  }
  // Parts of a graph may be reached from nowhere: rows are read and scored here.
  return scoreHere(client, table, { embedding, k, ids: open ?? othersThan(excluded, rows) });
}

function othersThan(excluded: Int32Array | undefined, rows: number): Int32Array {
  const left = new Set(excluded);
  return Int32Array.from({ length: rows }, (_, id) => id).filter((id) => !left.has(id));
}

/** The best products with some rows, however long it takes. */
async function scoreHere(
  client: MilvusClient,
  table: string,
  { embedding, k, ids }: { readonly embedding: Float32Array; readonly k: number; readonly ids: Int32Array },
): Promise<IndexHits> {
  let best: readonly Hit[] = [];
  for (let from = 0; from < ids.length; from += readAtOnce) {
    const { data } = await accepted(
      client.query({
        collection_name: table,
        filter: `id in [${ids.subarray(from, from + readAtOnce).join()}]`,
        output_fields: ['id', 'embedding'],
        consistency_level: 'Strong',
      }),
    );
    const hits = data.map((row): Hit => {
      const numbers = row['embedding'] as readonly number[]; // as the collection was made
      return {
        id: Number(row['id']),
        score: embedding.reduce((sum, value, i) => sum + value * numbers[i]!, 0),
      };
    });
    best = [...best, ...hits].sort((a, b) => b.score - a.score || a.id - b.id).slice(0, k);
  }
  return bestHits(best);
}

const has = async (client: MilvusClient, name: string): Promise<boolean> =>
  (await accepted(client.hasCollection({ collection_name: name }))).value;

const isLoaded = (state: string): boolean => state === 'LoadStateLoaded';

async function hasIndex(client: MilvusClient, name: string): Promise<boolean> {
  const { index_descriptions: there } = await client.describeIndex({ collection_name: name });
  return there.length > 0;
}

/** How many rows the index of a collection has still to take in; undefined where it is built. */
async function pendingRows(client: MilvusClient, name: string): Promise<number | undefined> {
  const { index_descriptions: there } = await accepted(client.describeIndex({ collection_name: name }));
  const building = there.filter(
    ({ state, pending_index_rows: pending }) => state === 'InProgress' || Number(pending) > 0,
  );
  return building.length === 0
    ? undefined
    : Math.max(...building.map(({ pending_index_rows: pending }) => Number(pending)));
}

/** Rows as they were written last, by whomever. */
async function countRows(client: MilvusClient, name: string, filter = ''): Promise<number> {
  const { data } = await accepted(
    client.query({
      collection_name: name,
      filter,
      output_fields: ['count(*)'],
      consistency_level: 'Strong',
    }),
  );
  return Number(data[0]?.['count(*)'] ?? 0);
}

/** Makes the index of a field and loads the collection where that was not done. */
async function ready(
  client: MilvusClient,
  name: string,
  field: string,
  index: {
    readonly index_type: string;
    readonly metric_type: string;
    readonly params: Readonly<Record<string, number>>;
  },
): Promise<void> {
  if (!(await hasIndex(client, name)))
    await accepted(client.createIndex({ collection_name: name, field_name: field, ...index }));
  const { state } = await accepted(client.getLoadState({ collection_name: name }));
  if (!isLoaded(state)) await accepted(client.loadCollectionSync({ collection_name: name }));
}

const { text: textFields, number: numberFields } = registerColumns;

async function makeRegister(client: MilvusClient): Promise<void> {
  if (!(await has(client, register)))
    await accepted(
      client.createCollection({
        collection_name: register,
        fields: [
          { name: 'name', data_type: 'VarChar', is_primary_key: true, max_length: 255 },
          ...textFields.map((name) => ({ name, data_type: 'VarChar' as const, max_length: 1024 })),
          ...numberFields.map((name) => ({ name, data_type: 'Int64' as const })),
          { name: 'place', data_type: 'FloatVector', dim: 2 },
        ],
        shards_num: 1,
      }),
    );
  await ready(client, register, 'place', { index_type: 'FLAT', metric_type: 'L2', params: {} });
}

async function readRegister(
  client: MilvusClient,
  table: string,
): Promise<Omit<StoredIndex, 'written'> | undefined> {
  if (!(await has(client, register))) return undefined;
  const { schema } = await accepted(client.describeCollection({ collection_name: register }));
  const fields = new Set(schema?.fields.map(({ name }) => name));
  if ([...textFields, ...numberFields].some((field) => !fields.has(field)))
    throw foreignPlace('collection', register, 'a collection of another form');
  // A push that was stopped before it had written anything.
  if (!(await hasIndex(client, register))) return undefined;
  await makeRegister(client);
  return noted(client, table);
}

/** What a register that is there and loaded says. */
async function noted(client: MilvusClient, table: string): Promise<Omit<StoredIndex, 'written'> | undefined> {
  const { data } = await accepted(
    client.query({
      collection_name: register,
      filter: `name == "${table}"`,
      output_fields: [...textFields, ...numberFields],
      consistency_level: 'Strong',
    }),
  );
  const [row] = data;
  if (row === undefined) return undefined;
  return storedOf(row, 'always');
}
