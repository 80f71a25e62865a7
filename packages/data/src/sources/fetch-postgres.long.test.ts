import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { PGLiteSocketServer } from '@electric-sql/pglite-socket';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { importPath } from '../import/import-path.ts';
import { peekPath } from '../import/peek.ts';

/** PostgreSQL itself, as WebAssembly, behind its own protocol. */
let database: PGlite;
let server: PGLiteSocketServer;
/** What stands between, and ends connections. */
let proxy: Server;
let port = 0;
let most = Number.POSITIVE_INFINITY;
const open = new Set<Socket>();

beforeAll(async () => {
  database = await PGlite.create();
  await database.exec(`
    CREATE TABLE facts (head text, relation text, tail text, year int);
    INSERT INTO facts VALUES ('Ann', 'likes', 'Bob "B", Jr.', 1990), ('Bob "B", Jr.', 'knows', E'two\\nlines', 2000);
    CREATE TABLE typed (name text, born date, seen timestamptz, good boolean, size numeric, at timestamp);
    INSERT INTO typed VALUES ('Ann', '1990-02-03', '2020-01-01 00:00:00+00', true, 1.50, null), ('Bob', null, null, false, 2, '2020-01-01');
  `);
  server = new PGLiteSocketServer({ db: database, port: 0, host: '127.0.0.1' });
  await server.start();
  const behind = Number(/\d+$/.exec(server.getServerConn())![0]);
  proxy = createServer((client) => {
    const upstream = connect(behind, '127.0.0.1');
    open.add(client);
    let passed = 0;
    upstream.on('data', (bytes) => {
      passed += bytes.length;
      client.write(bytes);
      if (passed > most) client.destroy();
    });
    client.on('data', (bytes) => upstream.write(bytes));
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      one.on('error', () => {});
      one.on('close', () => {
        open.delete(client);
        other.destroy();
      });
    }
  });
  await new Promise<void>((ready) => proxy.listen(0, '127.0.0.1', ready));
  port = (proxy.address() as AddressInfo).port;
});

afterAll(async () => {
  proxy.close();
  await server.stop();
  await database.close();
});

const addressOf = (query: string, of = port): string =>
  `postgres://postgres:secret@127.0.0.1:${of}/postgres?query=${encodeURIComponent(query)}`;
const place = (): string => `postgres://127.0.0.1:${port}/postgres`;

describe('a PostgreSQL query', () => {
  it('gives the facts of its rows, whatever stands in cells', async () => {
    const query = 'SELECT head, relation, tail FROM facts ORDER BY year';
    const { dataset, notes } = await importPath(addressOf(query), { name: 'x', holdOut: 0 });
    const keys = Array.from({ length: 3 }, (_, id) => dataset.vocabulary.entity(id).key);
    expect(keys).toEqual(['Ann', 'Bob "B", Jr.', 'two\nlines']);
    expect(dataset.origin).toEqual({
      ...{ format: 'csv', inverses: 'added' },
      url: `${place()}?query=${encodeURIComponent(query)}`,
    });
    expect(notes).toContain(`${place()}: took line 1 for titles: head, relation, tail; 2 facts`);
    expect(open.size).toBe(0);
  });

  it('writes values as tables have them, and NULL as an empty cell', async () => {
    const [peeked] = await peekPath(addressOf('SELECT * FROM typed ORDER BY name'), { table: 'name' });
    expect(peeked).toMatchObject({ facts: 0, attributes: 7 });
    const typed = await importPath(addressOf("SELECT 'a', 'r', good FROM typed"), { name: 'x', holdOut: 0 });
    expect(Array.from({ length: 3 }, (_, id) => typed.dataset.vocabulary.entity(id).key)).toEqual([
      'a',
      'true',
      'false',
    ]);
    const nulls = addressOf("SELECT name, 'at' AS relation, at FROM typed ORDER BY name");
    await expect(peekPath(nulls)).rejects.toMatchObject({
      path: `${place()}:2`,
      message: expect.stringMatching(/^triple: expected a name in column 3 .*, got an empty cell$/),
    });
    const [skipped] = await peekPath(nulls, { skipBad: true });
    expect(skipped).toMatchObject({ facts: 1, leftOut: { badLines: 1 } });
  });

  it('streams more rows than are asked for at a time, and a cell of a megabyte', async () => {
    const many = "SELECT 'e' || n % 1000, 'r' || n % 7, 'e' || n % 991 FROM generate_series(1, 20000) AS n";
    const [peeked] = await peekPath(addressOf(many));
    expect(peeked).toMatchObject({ facts: 20_000, first: { length: 10 } });
    const [long] = await peekPath(
      addressOf("SELECT repeat('x', 1000000), 'r', n::text FROM generate_series(1, 9) AS n"),
    );
    expect(long!.facts).toBe(9);
    expect(long!.first[8]![0]).toHaveLength(1_000_000);
  });

  it('is told where it goes away, with the rows that had come, and nothing is left', async () => {
    const own = await mkdtemp(join(tmpdir(), 'fuzzqe-own-'));
    vi.stubEnv('TMPDIR', own);
    most = 100_000;
    const query = "SELECT 'e' || n, 'r', 'e' || n + 1 FROM generate_series(1, 50000) AS n";
    const gone = importPath(addressOf(query), { name: 'x' });
    await expect(gone).rejects.toMatchObject({
      code: 'runtime',
      path: place(),
      message: expect.stringMatching(/^source: expected rows of PostgreSQL, got ".*" after [1-9]\d* rows$/),
      hint: expect.stringContaining('Nothing was written'),
    });
    most = Number.POSITIVE_INFINITY;
    vi.unstubAllEnvs();
    expect(await readdir(own)).toEqual([]);
    await rm(own, { recursive: true });
    expect((await peekPath(addressOf('SELECT head, relation, tail FROM facts')))[0]!.facts).toBe(2);
  });

  it('is stopped, and closes its connection', async () => {
    const stop = new AbortController();
    const query = "SELECT 'e' || n, 'r', 'e' || n + 1 FROM generate_series(1, 200000) AS n";
    const stopped = importPath(addressOf(query), { name: 'x', signal: stop.signal });
    await expect.poll(() => open.size).toBe(1);
    setTimeout(() => stop.abort(), 20);
    await expect(stopped).rejects.toMatchObject({ code: 'interrupted' });
    await expect.poll(() => open.size).toBe(0);
  });

  it.each([
    ['SELECT head, tail FROM facts', 'usage', /expected three columns, .*got 2: head, tail$/],
    [
      'SELECT head, relation, tail FROM nowhere',
      'usage',
      /PostgreSQL refuses it: "relation .*nowhere.* \(42P01\)/,
    ],
    [
      "INSERT INTO facts VALUES ('a', 'b', 'c', 1) RETURNING head, relation, tail",
      'runtime',
      /read-only.*\(25006\)/,
    ],
    ['SELECT 1; SELECT 2', 'usage', /multiple commands.*\(42601\)/],
    [
      'SELECT 1/(n - 500), n, n FROM generate_series(1, 1000) AS n',
      'runtime',
      /division by zero.* after 100 rows/,
    ],
  ])('%s is refused', async (query, code, message) => {
    await expect(peekPath(addressOf(query))).rejects.toMatchObject({
      ...{ code, path: place() },
      message: expect.stringMatching(message),
    });
    await expect(peekPath(addressOf(query))).rejects.not.toMatchObject({
      message: expect.stringContaining('secret'),
    });
  });

  it('is told where it has no rows, or nobody answers', async () => {
    const empty = addressOf('SELECT head, relation, tail FROM facts WHERE false');
    await expect(importPath(empty, { name: 'x' })).rejects.toMatchObject({ code: 'data', path: place() });
    await expect(peekPath(addressOf('SELECT 1', 1))).rejects.toMatchObject({
      code: 'runtime',
      message: expect.stringContaining('ECONNREFUSED'),
    });
    await expect(peekPath('postgres://h/db?sslrootcert=/none.pem&query=SELECT 1')).rejects.toMatchObject({
      message: expect.stringContaining('ENOENT'),
    });
  });
});
