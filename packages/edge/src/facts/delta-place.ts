/** What a place has of a delta now. */
export interface PlacedDelta {
  /** Tells this delta from others at the same place; undefined if the place cannot tell. */
  readonly version: string | undefined;
  /** The batches as NDJSON; undefined if the version is the one that is known. */
  readonly body: ReadableStream<Uint8Array> | undefined;
}

/** A place from which an isolate reads changes of facts. */
export interface DeltaPlace {
  /** For people. */
  readonly name: string;
  /** Reads the delta, unless its version is known. Undefined: nothing is published there. */
  read(known: string | undefined): Promise<PlacedDelta | undefined>;
}

/** What is used of a namespace of Workers KV. */
export interface DeltaNamespace {
  getWithMetadata(
    key: string,
    options: { readonly type: 'stream' },
  ): Promise<{ readonly value: ReadableStream<Uint8Array> | null; readonly metadata: unknown }>;
}

/**
 * A value of Workers KV, at most 25 MiB.
 *
 * If the metadata of the value is `{"epoch": N}`, an isolate that has epoch N reads no more than the metadata.
 *
 * @example
 * const place = kvDelta({ getWithMetadata: async () => ({ value: null, metadata: null }) }, 'countries');
 */
export function kvDelta(namespace: DeltaNamespace, key: string): DeltaPlace {
  return {
    name: `KV ${key}`,
    async read(known) {
      const { value, metadata } = await namespace.getWithMetadata(key, { type: 'stream' });
      if (value === null) return undefined;
      const version = epochIn(metadata);
      if (version === undefined || version !== known) return { version, body: value };
      await value.cancel();
      return { version, body: undefined };
    },
  };
}

/** What is used of a bucket of R2. */
export interface DeltaBucket {
  get(
    key: string,
    options: { readonly onlyIf: { readonly etagDoesNotMatch: string } } | undefined,
  ): Promise<{ readonly etag: string; readonly body?: ReadableStream<Uint8Array> } | null>;
}

/**
 * An object of R2, which an isolate reads again only if its etag differs.
 *
 * @example
 * const place = r2Delta({ get: async () => null }, 'countries.ndjson');
 */
export function r2Delta(bucket: DeltaBucket, key: string): DeltaPlace {
  return {
    name: `R2 ${key}`,
    async read(known) {
      const found = await bucket.get(
        key,
        known === undefined ? undefined : { onlyIf: { etagDoesNotMatch: known } },
      );
      return found === null ? undefined : { version: found.etag, body: found.body };
    },
  };
}

function epochIn(metadata: unknown): string | undefined {
  if (typeof metadata !== 'object' || metadata === null || !('epoch' in metadata)) return undefined;
  const { epoch } = metadata;
  return typeof epoch === 'number' || typeof epoch === 'string' ? `${epoch}` : undefined;
}
