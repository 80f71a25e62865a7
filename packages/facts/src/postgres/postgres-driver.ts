import { importOptional } from '@fuzzqe/core';

/** What of `pg` is used. Its types are written here, so that nothing has to be installed to compile this package. */
export interface PostgresDriver {
  readonly Pool: new (options: ConnectionOptions & { readonly max: number }) => PostgresPool;
  readonly Client: new (options: ConnectionOptions) => PostgresConnection;
}

/** How the driver connects. */
export interface ConnectionOptions {
  readonly connectionString: string;
  readonly connectionTimeoutMillis: number;
  readonly query_timeout: number;
  readonly keepAlive: boolean;
  readonly keepAliveInitialDelayMillis: number;
  readonly application_name: string;
  readonly options: string;
  readonly allowExitOnIdle: boolean;
}

/** A statement that may take longer than others, in milliseconds. */
interface SlowStatement {
  readonly text: string;
  readonly values?: readonly unknown[];
  readonly query_timeout: number;
}

interface Queries {
  query<Row>(
    statement: string | SlowStatement,
    values?: readonly unknown[],
  ): Promise<{ readonly rows: readonly Row[] }>;
}

/** Connections to one database. */
export interface PostgresPool {
  connect(): Promise<PostgresClient>;
  on(event: 'error', listener: () => void): unknown;
  on(event: 'connect', listener: (client: PostgresClient) => void): unknown;
  end(): Promise<void>;
}

/** A connection of a pool. */
export interface PostgresClient extends Queries {
  on(event: 'error', listener: () => void): unknown;
  /** `true` if the connection is not to be used again. */
  release(broken?: boolean): void;
}

/** A connection by itself. */
export interface PostgresConnection extends Queries {
  connect(): Promise<unknown>;
  on(event: 'error' | 'end', listener: () => void): unknown;
  on(event: 'notification', listener: (message: { readonly payload?: string }) => void): unknown;
  end(): Promise<void>;
}

/** Loads `pg`. Throws: `runtime`, with the command that installs it. */
export async function importPostgres(): Promise<PostgresDriver> {
  // Named at run time: nothing has to be installed to compile this package.
  const name = 'pg';
  return importOptional(name, 'npm install pg', async () => {
    const loaded: Readonly<Record<string, unknown>> = await import(name);
    // A CommonJS package has all that it exports under `default`.
    return loaded['default'] as PostgresDriver;
  });
}
