import { join } from 'node:path';
import { FuzzError, importOptional, messageOf } from '@fuzzqe/core';
import type { FetchedFile } from './fetched-file.ts';
import { createCellWriter } from './neo4j-cell.ts';
import { openRowSink, type RowSink } from './row-sink.ts';
import { credentialsOf } from './source-address.ts';
import { createWatch, type SourceTask } from './watch.ts';

/** A row of an answer. */
interface Neo4jRecord {
  readonly keys: readonly PropertyKey[];
  get(key: PropertyKey): unknown;
}

/** What of a session of `neo4j-driver` is used. */
export interface Neo4jSession {
  run(query: string): AsyncIterable<Neo4jRecord>;
  close(): Promise<void>;
}

/** What of `neo4j-driver` is used. */
interface Neo4j {
  driver(
    url: string,
    credentials: unknown,
    options: object,
  ): {
    session(options: object): Neo4jSession;
    close(): Promise<void>;
  };
  readonly auth: { basic(user: string, password: string): unknown };
  readonly session: { readonly READ: unknown };
}

/**
 * Reads the rows of a Cypher query in a session that writes nothing, and keeps them as CSV; see `createCellWriter` for what values become.
 *
 * @throws FuzzError `runtime`: the package that is not installed; a server that is not there, refuses, sends nothing for too long
 *   or goes away, with the number of rows. `usage`: a query that the server refuses. `data`: what `createCellWriter` throws.
 */
export async function fetchNeo4j(task: SourceTask): Promise<FetchedFile> {
  const { url, place } = task.address;
  const loaded: { readonly default: Neo4j } = await importOptional(
    'neo4j-driver',
    'npm install neo4j-driver',
    // Named at run time: nothing has to be installed to compile this package.
    () => import('neo4j-driver' as string),
  );
  const neo4j = loaded.default;
  const credentials = credentialsOf(url);
  const database = decodeURIComponent(url.pathname.slice(1));
  const driver = neo4j.driver(
    `${url.protocol}//${url.host}${url.search}`,
    credentials === undefined ? undefined : neo4j.auth.basic(credentials.user, credentials.password),
    { userAgent: 'fuzzqe', connectionTimeout: task.patience, maxTransactionRetryTime: 0 },
  );
  try {
    const session = driver.session({
      defaultAccessMode: neo4j.session.READ,
      ...(database === '' ? {} : { database }),
    });
    return await readSession(task, session);
  } catch (cause) {
    throw refused(cause, place);
  } finally {
    await driver.close();
  }
}

/** The same with a session that is open, and is closed in the end. Throws what the driver throws, too. */
export async function readSession(task: SourceTask, session: Neo4jSession): Promise<FetchedFile> {
  const { address, folder } = task;
  const path = join(folder, 'answer.csv');
  const cells = createCellWriter(address.place);
  let sink: RowSink | undefined;
  const soFar = (): string => `${sink?.rows ?? 0} rows`;
  const watch = createWatch(task, soFar);
  try {
    const records = session.run(address.query)[Symbol.asyncIterator]();
    for (;;) {
      const { done, value } = await watch.for(records.next());
      if (done === true) break;
      sink ??= await openRowSink(path, value.keys.map(String));
      await sink.add(value.keys.map((title) => cells.textOf(value.get(title), String(title))));
    }
    if (sink === undefined)
      throw new FuzzError('data', 'source: expected rows of Neo4j, got none', {
        path: address.place,
        hint: 'Does the query fit the database? Run it in cypher-shell.',
      });
  } catch (cause) {
    throw refused(cause, address.place, soFar());
  } finally {
    watch.end();
    await sink?.close();
    await session.close().catch(() => {});
  }
  return { path, isTitled: true, notes: cells.notes };
}

function refused(cause: unknown, place: string, soFar = '0 rows'): unknown {
  if (cause instanceof FuzzError) return cause;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  const [line = ''] = messageOf(cause).split('\n', 1);
  const said = JSON.stringify(line.slice(0, 300));
  if (code.startsWith('Neo.ClientError.Statement'))
    return new FuzzError('usage', `query: Neo4j refuses it: ${said} (${code})`, {
      path: place,
      hint: 'Check the query, as with cypher-shell.',
      cause,
    });
  return new FuzzError('runtime', `source: expected rows of Neo4j, got ${said} after ${soFar}`, {
    path: place,
    hint: 'Nothing was written. Check the server, the user and the password.',
    cause,
  });
}
