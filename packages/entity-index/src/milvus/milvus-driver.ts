/** What of `@zilliz/milvus2-sdk-node` is used. */
export interface MilvusDriver {
  readonly MilvusClient: new (options: MilvusOptions) => MilvusClient;
}

interface MilvusOptions {
  readonly address: string;
  readonly ssl: boolean;
  readonly username?: string;
  readonly password?: string;
  readonly token?: string;
  readonly database?: string;
  /** For one call, in milliseconds. */
  readonly timeout: number;
  readonly maxRetries: number;
  readonly logLevel: 'error';
  /** What version 3 would tell the server of its calls. */
  readonly telemetry: { readonly enabled: false };
  readonly channelOptions: Readonly<Record<string, number>>;
}

/** What the server says of a call: a call that was refused does not reject. */
export interface MilvusStatus {
  /** `Success`, or the name of what is wrong. */
  readonly error_code: string | number;
  readonly reason: string;
}

/** An answer with what it is of. */
interface Answer {
  readonly status: MilvusStatus;
}

interface Named {
  readonly collection_name: string;
}

interface MilvusField {
  readonly name: string;
  readonly data_type: 'Int64' | 'VarChar' | 'FloatVector';
  readonly is_primary_key?: boolean;
  readonly max_length?: number;
  readonly dim?: number;
}

/** Connections to one database. */
export interface MilvusClient {
  /** Rejects where the first connection fails. */
  readonly connectPromise: Promise<unknown>;
  hasCollection(collection: Named): Promise<Answer & { readonly value: boolean }>;
  describeCollection(
    collection: Named,
  ): Promise<Answer & { readonly schema: { readonly fields: readonly { readonly name: string }[] } | null }>;
  createCollection(
    collection: Named & {
      readonly fields: readonly MilvusField[];
      readonly shards_num: number;
    },
  ): Promise<MilvusStatus>;
  dropCollection(collection: Named): Promise<MilvusStatus>;
  describeIndex(collection: Named): Promise<
    Answer & {
      readonly index_descriptions: readonly {
        readonly field_name: string;
        readonly state: string;
        readonly pending_index_rows: string | number;
      }[];
    }
  >;
  createIndex(
    index: Named & {
      readonly field_name: string;
      readonly index_type: string;
      readonly metric_type: string;
      readonly params: Readonly<Record<string, number>>;
    },
  ): Promise<MilvusStatus>;
  getLoadState(collection: Named): Promise<Answer & { readonly state: string }>;
  loadCollectionSync(collection: Named): Promise<MilvusStatus>;
  flushSync(collections: { readonly collection_names: readonly string[] }): Promise<Answer>;
  upsert(rows: Named & { readonly data: readonly Readonly<Record<string, unknown>>[] }): Promise<Answer>;
  delete(rows: Named & { readonly filter: string }): Promise<Answer>;
  query(
    query: Named & {
      readonly filter: string;
      readonly output_fields: readonly string[];
      readonly consistency_level: 'Strong';
    },
  ): Promise<Answer & { readonly data: readonly Readonly<Record<string, unknown>>[] }>;
  search(
    search: Named & {
      readonly data: readonly number[];
      readonly anns_field: string;
      readonly limit: number;
      readonly filter: string;
      readonly params: Readonly<Record<string, number>>;
      readonly output_fields: readonly string[];
      readonly consistency_level: 'Strong' | 'Bounded';
    },
  ): Promise<
    Answer & { readonly results: readonly { readonly id: string | number; readonly score: number }[] }
  >;
  closeConnection(): Promise<unknown>;
}
