/** What of `@lancedb/lancedb` is used. */
export interface LancedbDriver {
  connect(
    place: string,
    options: { readonly storageOptions: Readonly<Record<string, string>> },
  ): Promise<LancedbConnection>;
  readonly Index: {
    btree(): unknown;
    hnswSq(options: {
      readonly distanceType: 'dot';
      readonly numPartitions: number;
      readonly m: number;
      readonly efConstruction: number;
    }): unknown;
  };
}

/** One folder or place of an object store. */
export interface LancedbConnection {
  tableNames(): Promise<string[]>;
  createEmptyTable(name: string, schema: unknown): Promise<LancedbTable>;
  openTable(name: string): Promise<LancedbTable>;
  dropTable(name: string): Promise<void>;
  close(): void;
}

/** One table. */
export interface LancedbTable {
  add(data: unknown): Promise<unknown>;
  delete(predicate: string): Promise<unknown>;
  countRows(filter?: string): Promise<number>;
  createIndex(
    column: string,
    options: { readonly config: unknown; readonly replace: boolean },
  ): Promise<void>;
  schema(): Promise<{ readonly fields: readonly { readonly name: string; readonly type: object }[] }>;
  optimize(): Promise<unknown>;
  checkoutLatest(): Promise<void>;
  update(change: {
    readonly where: string;
    readonly values: Readonly<Record<string, number>>;
  }): Promise<unknown>;
  mergeInsert(column: string): LancedbMerge;
  query(): LancedbQuery;
  close(): void;
}

/** What is written over the rows of equal keys, in one step. */
export interface LancedbMerge {
  whenMatchedUpdateAll(): LancedbMerge;
  whenNotMatchedInsertAll(): LancedbMerge;
  execute(data: unknown): Promise<unknown>;
}

/** What is asked of a table; its rows come in parts. */
export interface LancedbQuery extends AsyncIterable<LancedbBatch> {
  nearestTo(vector: Float32Array): LancedbQuery;
  distanceType(type: 'dot'): LancedbQuery;
  where(predicate: string): LancedbQuery;
  select(columns: readonly string[]): LancedbQuery;
  limit(count: number): LancedbQuery;
  nprobes(count: number): LancedbQuery;
  ef(count: number): LancedbQuery;
  refineFactor(factor: number): LancedbQuery;
  bypassVectorIndex(): LancedbQuery;
  toArray(): Promise<readonly Readonly<Record<string, unknown>>[]>;
}

/** Rows of an answer, in columns. */
export interface LancedbBatch {
  getChild(column: string): { toArray(): Int32Array } | null;
}

/** What of `apache-arrow` is used: in which a table's columns and its rows are given. */
export interface ArrowDriver {
  readonly Schema: new (fields: readonly unknown[]) => unknown;
  readonly Field: new (name: string, type: unknown, nullable: boolean) => unknown;
  readonly Int32: new () => unknown;
  readonly Float32: new () => unknown;
  readonly Utf8: new () => unknown;
  readonly FixedSizeList: new (size: number, field: unknown) => unknown;
  readonly Table: new (schema: unknown, columns: Readonly<Record<string, unknown>>) => unknown;
  /** A column of numbers as they lie in memory, or of lists of these. */
  makeData(props: {
    readonly type: unknown;
    readonly length: number;
    readonly data?: Int32Array | Float32Array;
    readonly child?: unknown;
  }): unknown;
}
