/** What of `pg` is used. */
export interface PostgresDriver {
  readonly Pool: new (options: PoolOptions) => PostgresPool;
}

interface PoolOptions {
  readonly connectionString: string;
  readonly max: number;
  readonly connectionTimeoutMillis: number;
  readonly query_timeout: number;
  readonly keepAlive: boolean;
  readonly keepAliveInitialDelayMillis: number;
  readonly application_name: string;
  readonly options: string;
  readonly allowExitOnIdle: boolean;
}

/** A statement that may take longer than others, in milliseconds; of 0 the driver takes what holds for all. */
interface SlowStatement {
  readonly text: string;
  readonly values?: readonly unknown[];
  readonly query_timeout: number;
}

/** Connections to one database. */
export interface PostgresPool {
  query<Row>(
    statement: string | SlowStatement,
    values?: readonly unknown[],
  ): Promise<{ readonly rows: readonly Row[] }>;
  connect(): Promise<PostgresClient>;
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'connect' | 'remove', listener: (client: PostgresClient) => void): unknown;
  end(): Promise<void>;
}

/** One connection, for a transaction. */
export interface PostgresClient extends Pick<PostgresPool, 'query'> {
  on(event: 'error', listener: () => void): unknown;
  /** `true` where it is not to be used again. */
  release(broken?: boolean): void;
  /** Ends its connection, at once where a statement is under way. */
  end(): Promise<void>;
}
