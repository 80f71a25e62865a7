import { rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect } from 'vitest';

/** A database in which anything may be made, as `postgres://…`; where there is none, PostgreSQL is not tested. */
const postgres = process.env['FUZZQE_TEST_POSTGRES'];
/** Whether LanceDB is installed. */
const hasLancedb = process.env['FUZZQE_TEST_LANCEDB'] === 'yes';
/** A bucket, as `lancedb+s3://bucket?endpoint=…`, that the usual variables let in. */
const bucket = process.env['FUZZQE_TEST_LANCEDB_S3'];
/** A server that lets `root` in with the password `Milvus`, as `milvus://…` without these, and another one. */
const milvus = process.env['FUZZQE_TEST_MILVUS'];
const spareMilvus = process.env['FUZZQE_TEST_MILVUS_SPARE'];

/** What a wrong password is in these tests. */
export const wrongPassword = 'never-to-be-seen';

/** A database by its own driver: what others do there. */
interface Hand {
  /** Makes a table of this name with one row, which no push made. */
  makeForeign(table: string): Promise<void>;
  /** Rows of a table. */
  count(table: string): Promise<number>;
  /** Writes another metric into the register. */
  setMetric(table: string, metric: string): Promise<void>;
  /** Fails where a table has no graph over so many rows, or searches did not use it. */
  expectGraph(table: string, rows: number, dimension: number): Promise<void>;
  close(): Promise<void>;
}

/** A place of indexes that is tested. */
export interface Place {
  readonly there: boolean;
  readonly what: string;
  address(table: string, method?: string): string;
  /** The same place for someone with a wrong password, which may stand in the environment; undefined where there are none. */
  readonly wrong?: (table: string) => {
    readonly address: string;
    readonly environment?: Record<string, string>;
  };
  /** A part of it with a register of its own. */
  elsewhere(): { readonly address: (table: string) => string; readonly hand: () => Promise<Hand> };
  hand(): Promise<Hand>;
}

const unique = `${process.pid}`;
const require = createRequire(new URL('../../packages/entity-index/package.json', import.meta.url));

const folder = join(tmpdir(), `fuzzqe-lance-${unique}`);
afterAll(() => rm(folder, { recursive: true, force: true }));

/** By their names. */
export const places: Readonly<Record<string, Place>> = {
  PostgreSQL: {
    there: postgres !== undefined,
    what: 'PostgreSQL with pgvector',
    address: (table, method = 'approximate') => `${postgres}?table=${table}&method=${method}`,
    // For this name the server asks for a password by SCRAM.
    wrong: (table) => ({
      address: `${postgres?.replace(/:\/\/[^@]*@/, `://nobody:${wrongPassword}@`)}?table=${table}`,
    }),
    hand: () => postgresHand(postgres!),
    elsewhere: () => {
      const other = postgres!.replace(/\/[^/]*$/, `/other_${unique}`);
      return {
        address: (table) => `${other}?table=${table}`,
        async hand() {
          await (await postgresHand(postgres!)).make(`CREATE DATABASE other_${unique}`);
          return postgresHand(other);
        },
      };
    },
  },
  LanceDB: lancedbPlace('LanceDB', hasLancedb, `lancedb:${folder}`),
  'LanceDB in an object store': {
    ...lancedbPlace('LanceDB in an object store', hasLancedb && bucket !== undefined, bucket ?? ''),
    wrong: (table) => ({
      address: `${joined(bucket!, 'refused')}&table=${table}`,
      environment: { AWS_SECRET_ACCESS_KEY: wrongPassword },
    }),
  },
  Milvus: {
    there: milvus !== undefined,
    what: 'Milvus',
    address: (table, method = 'approximate') =>
      `${milvus?.replace('://', '://root:Milvus@')}?table=${table}&method=${method}`,
    wrong: (table) => ({ address: `${milvus?.replace('://', `://root:${wrongPassword}@`)}?table=${table}` }),
    hand: () => milvusHand(milvus!),
    elsewhere: () => ({
      address: (table) => `${spareMilvus?.replace('://', '://root:Milvus@')}?table=${table}`,
      hand: () => milvusHand(spareMilvus!),
    }),
  },
};

/** The address of a folder in a place. */
function joined(place: string, folder: string): string {
  const [path, query = ''] = place.split('?', 2);
  return `${path}/${folder}?${query}`;
}

function lancedbPlace(what: string, there: boolean, place: string): Place {
  const inFolder = (folder: string) => ({
    address: (table: string, method = 'approximate') =>
      `${joined(place, `${unique}-${folder}`)}&table=${table}&method=${method}`,
    hand: () =>
      lancedbHand(
        joined(place, `${unique}-${folder}`)
          .replace(/^lancedb\+?/, '')
          .replace(/^:/, ''),
      ),
  });
  return { there, what, ...inFolder('all'), elsewhere: () => inFolder('other') };
}

async function postgresHand(address: string) {
  const { Client } = require('pg');
  const client = new Client({ connectionString: address });
  await client.connect();
  const make = async (statement: string): Promise<void> => {
    await client.query(statement);
    await client.end();
  };
  const hand: Hand = {
    async makeForeign(table) {
      await client.query(`CREATE TABLE ${table} (name text)`);
      await client.query(`INSERT INTO ${table} VALUES ('theirs')`);
    },
    count: async (table) => Number((await client.query(`SELECT count(*) FROM ${table}`)).rows[0].count),
    async setMetric(table, metric) {
      await client.query('UPDATE fuzzqe_indexes SET metric = $2 WHERE name = $1', [table, metric]);
    },
    async expectGraph(table) {
      const read = async () =>
        (
          await client.query(
            'SELECT indexrelid::regclass::text AS name, idx_scan::int AS searches FROM pg_stat_user_indexes WHERE relname = $1',
            [table],
          )
        ).rows as readonly { readonly name: string; readonly searches: number }[]; // of this statement
      // Servers count with a delay. The suite has six searches each that are free, with a filter and without the best, and two more; where
      // nearly all is left out, or a third of all wanted, looking at every row costs less.
      await expect
        .poll(async () => (await read()).find(({ name }) => name.endsWith('hnsw'))?.searches)
        .toBeGreaterThanOrEqual(20);
    },
    close: () => client.end(),
  };
  return { ...hand, make };
}

async function lancedbHand(place: string): Promise<Hand> {
  const { connect } = require('@lancedb/lancedb');
  const [path, query = ''] = place.split('?', 2);
  const database = await connect(path, { storageOptions: Object.fromEntries(new URLSearchParams(query)) });
  return {
    makeForeign: (table) => database.createTable(table, [{ name: 'theirs' }]),
    count: async (table) => (await database.openTable(table)).countRows(),
    async setMetric(table, metric) {
      const register = await database.openTable('fuzzqe_indexes');
      await register.update({ where: `name = '${table}'`, values: { metric } });
    },
    async expectGraph(table, rows, dimension) {
      const opened = await database.openTable(table);
      expect(await opened.indexStats('embedding_idx')).toMatchObject({
        ...{ numIndexedRows: rows, numUnindexedRows: 0, distanceType: 'dot', indexType: 'IVF_HNSW_SQ' },
      });
      const query = opened.query().nearestTo(new Float32Array(dimension)).distanceType('dot').limit(5);
      expect(await query.where('id NOT IN (1)').explainPlan()).toContain('ANN');
      expect(await query.bypassVectorIndex().explainPlan()).not.toContain('ANN');
    },
    close: async () => database.close(),
  };
}

async function milvusHand(address: string): Promise<Hand> {
  const { MilvusClient } = require('@zilliz/milvus2-sdk-node');
  const { host } = new URL(address.replace('milvus:', 'http:'));
  const client = new MilvusClient({
    address: host,
    username: 'root',
    password: 'Milvus',
    telemetry: { enabled: false },
  });
  await client.connectPromise;
  return {
    async makeForeign(collection_name) {
      await client.createCollection({
        collection_name,
        fields: [
          { name: 'name', data_type: 'VarChar', is_primary_key: true, max_length: 9 },
          { name: 'place', data_type: 'FloatVector', dim: 2 },
        ],
      });
      await client.insert({ collection_name, data: [{ name: 'theirs', place: [0, 0] }] });
      const index = {
        collection_name,
        field_name: 'place',
        index_type: 'FLAT',
        metric_type: 'L2',
        params: {},
      };
      await client.createIndex(index);
      await client.loadCollectionSync({ collection_name });
    },
    async count(collection_name) {
      const { data } = await client.query({
        ...{ collection_name, filter: '', output_fields: ['count(*)'], consistency_level: 'Strong' },
      });
      return Number(data[0]['count(*)']);
    },
    async setMetric(table, metric) {
      const collection_name = 'fuzzqe_indexes';
      const { data } = await client.query({
        ...{
          collection_name,
          filter: `name == "${table}"`,
          output_fields: ['*'],
          consistency_level: 'Strong',
        },
      });
      await client.upsert({ collection_name, data: [{ ...data[0], metric, place: [0, 0] }] });
    },
    async expectGraph(collection_name, rows) {
      const { index_descriptions: indexes } = await client.describeIndex({ collection_name });
      expect(indexes).toHaveLength(1);
      expect(indexes[0].params).toContainEqual({ key: 'index_type', value: 'HNSW' });
      expect(Number(indexes[0].indexed_rows)).toBe(rows);
    },
    close: () => client.closeConnection(),
  };
}
