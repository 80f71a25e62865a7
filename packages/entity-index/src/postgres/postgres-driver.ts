/** What of `pg` is used. */
export interface PostgresDriver {
  readonly Pool: new (options: PoolOptions) => PostgresPool;
}

interface PoolOptions {
  readonly connectionString: string;
  readonly max: number;
  readonly connectionTimeoutMillis: number;
  readonly query_timeout: number;
  readonly application_name: string;
  readonly options: string;
  readonly allowExitOnIdle: boolean;
}

/** Connections to one database. */
export interface PostgresPool {
  query<Row>(text: string, values?: readonly unknown[]): Promise<{ readonly rows: readonly Row[] }>;
  connect(): Promise<PostgresClient>;
  on(event: 'error', listener: (error: Error) => void): unknown;
  end(): Promise<void>;
}

/** One connection, for a transaction. */
export interface PostgresClient extends Pick<PostgresPool, 'query'> {
  /** `true` where it is not to be used again. */
  release(broken?: boolean): void;
}
