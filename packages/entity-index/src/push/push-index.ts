import { asEntityId, FuzzError } from '@fuzzqe/core';
import { entity } from '@fuzzqe/core/query';
import type { BundleEngine, Ranker } from '@fuzzqe/engine';
import { type ModelConfig, traitsOf } from '@fuzzqe/model';
import { type EntityIndexOptions, type IndexPlace, openIndexPlace } from '../open/open-entity-index.ts';
import { checkContent, checkMethod } from '../store/index-content.ts';
import { checkRowCount } from '../store/index-register.ts';

/** How a bundle's rows are written into an index. */
export interface PushOptions
  extends Omit<EntityIndexOptions, 'manifest' | 'profile' | 'checkEvery' | 'onState'> {
  /** Rows of one write. Default 2000. */
  readonly batch?: number;
  /** Whether the index of another bundle in that place is removed first. Default false. */
  readonly replace?: boolean;
  readonly signal?: AbortSignal;
  /** Hears how many rows are there of all, then how many of these what finds them has taken in, where the database tells. */
  readonly onProgress?: (step: 'rows' | 'index', done: number, total: number) => void;
}

/** What a push did. */
export interface PushResult {
  /** What and where the index is, without credentials. */
  readonly name: string;
  readonly rows: number;
  /** How many of them were written now; 0 where all was there. */
  readonly written: number;
}

/** Building what finds millions of rows takes hours on a small server. */
const longest = 24 * 3600 * 1000;

/**
 * Writes the rows of a bundle's entities into an index, in their order, and builds what finds them; goes on where another push was
 * stopped, and does nothing where all is there.
 *
 * @throws FuzzError `usage`: scores of the model's family are no products. `bundle`: there is the index of another bundle, and it is not to be replaced. `storage`: the place holds something
 * else or may not be written, or another push writes there. `runtime`: the database cannot be reached. `interrupted`: the signal; what was
 * written stays.
 * @example
 * await pushIndex(engine, 'lancedb:./index');
 */
export async function pushIndex(
  engine: Pick<BundleEngine, 'manifest' | 'profile' | 'ranker'>,
  address: string,
  { batch = 2000, replace = false, signal, onProgress = () => undefined, ...options }: PushOptions = {},
): Promise<PushResult> {
  const { manifest, profile, ranker } = engine;
  if (!(Number.isInteger(batch) && batch >= 1 && batch <= 10_000))
    throw new FuzzError('usage', `batch: expected an integer in [1, 10000], got ${batch}`, {
      path: '--batch',
      hint: 'Leave it out for 2000 rows.',
    });
  const { distances, only } = traitsOf(manifest.model);
  if (distances ?? only)
    throw new FuzzError(
      'usage',
      `an index finds products of vectors, and scores of ${manifest.model.relationForm} are ${distances ? 'distances' : 'not products alone'}`,
      { path: 'bundle', hint: 'Answer without an index.' },
    );
  const place = await openIndexPlace(address, {
    manifest,
    profile,
    option: '--to',
    timeout: 30_000,
    ...options,
  });
  const { name, store, calls, content } = place;
  const limits = signal === undefined ? {} : { signal };
  try {
    const begun = await begin(place, replace, limits);
    const { rows } = content;
    if (begun.complete && begun.written === rows) return { name, rows, written: 0 };
    let at = begun.written;
    onProgress('rows', at, rows);
    while (at < rows) {
      const vectors = await rowsOf(ranker, manifest.model, at, Math.min(at + batch, rows), limits);
      const first = at;
      await calls.call(() => store.write(first, vectors), limits);
      at += vectors.length;
      onProgress('rows', at, rows);
    }
    const onBuilt = (done: number): void => onProgress('index', Math.min(done, rows), rows);
    onBuilt(0);
    await calls.call(() => store.finish(content, onBuilt), limits, { timeout: longest, retries: 0 });
    return { name, rows, written: rows - begun.written };
  } finally {
    await store.close().catch(() => undefined);
  }
}

/** What is there of the index, which is made where nothing is. */
async function begin(
  { address, name, store, calls, content }: IndexPlace,
  replace: boolean,
  limits: { readonly signal?: AbortSignal },
): Promise<{ readonly written: number; readonly complete: boolean }> {
  let stored = await calls.call(() => store.read(), limits);
  if (stored !== undefined && replace) {
    await calls.call(() => store.remove(), limits);
    stored = undefined;
  }
  if (stored === undefined) {
    await calls.call(() => store.create(content), limits);
    return { written: 0, complete: false };
  }
  checkContent(stored, content, name);
  checkMethod(stored, address, name);
  // The rest would be those of another stored form.
  if (stored.profile !== content.profile && !stored.complete)
    throw new FuzzError(
      'bundle',
      `expected to go on with profile ${stored.profile}, got ${content.profile}`,
      {
        path: name,
        hint: `Give --profile ${stored.profile}, or --replace.`,
      },
    );
  checkRowCount(Math.max(stored.written, stored.rows), stored.rows, name);
  return stored;
}

/** The rows that entities are ranked by: p_e, or p_e / ‖p_e‖ where the cosine ranks. Shapes: [to − from] rows of [d]. */
async function rowsOf(
  ranker: Ranker,
  { score }: Pick<ModelConfig, 'score'>,
  from: number,
  to: number,
  limits: { readonly signal?: AbortSignal },
): Promise<readonly Float32Array[]> {
  const requests = Array.from({ length: to - from }, (_, i) => ({
    task: 'embed' as const,
    query: entity(asEntityId(from + i)),
    plan: 'operators' as const,
  }));
  const results = await ranker.rank(requests, limits);
  return results.map(({ embedding }) => (score === 'cosine' ? unit(embedding) : embedding));
}

function unit(row: Float32Array): Float32Array {
  const length = Math.sqrt(row.reduce((sum, value) => sum + value * value, 0));
  return length === 0 ? row : row.map((value) => value / length);
}
