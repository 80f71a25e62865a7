import { afterEach, describe, expect, it, vi } from 'vitest';
import * as lancedb from '../lancedb/lancedb-store.ts';
import type { StoredIndex } from '../store/index-content.ts';
import { pushIndex } from './push-index.ts';

afterEach(() => vi.restoreAllMocks());

/** p_e, of lengths 5, 0 and 10. */
const embeddings = [Float32Array.of(3, 4), Float32Array.of(0, 0), Float32Array.of(-6, 8)];

/** What of an engine is pushed. */
const engineOf = (score: 'cosine' | 'innerProduct') =>
  ({
    manifest: {
      sha256: 'c'.repeat(64),
      name: 'graph',
      model: { relationForm: 'bases', entities: 3, dimension: 2, score },
    },
    profile: 'fp32',
    ranker: {
      rank: async (batch: readonly { readonly query: { readonly entity: number } }[]) =>
        batch.map(({ query }) => ({ task: 'embed', embedding: embeddings[query.entity]! })),
    },
  }) as unknown as Parameters<typeof pushIndex>[0]; // all that is asked of an engine

/** A place in memory instead of a database, whose driver is not installed here. */
function memoryPlace(there?: Partial<StoredIndex>) {
  const place = {
    rows: [] as (readonly number[])[],
    writes: [] as (readonly [first: number, count: number])[],
    finished: 0,
    removed: 0,
    closed: 0,
  };
  vi.spyOn(lancedb, 'openLancedbStore').mockImplementation(async ({ content }) => {
    let stored: StoredIndex | undefined = there && { ...content, written: 0, complete: false, ...there };
    return {
      capabilities: { exact: true, maxTopK: 10, metric: 'innerProduct' },
      read: async () => stored,
      create: async () => {
        stored = { ...content, written: 0, complete: false };
      },
      write: async (first, rows) => {
        place.writes.push([first, rows.length]);
        rows.forEach((row, i) => {
          place.rows[first + i] = [...row];
        });
      },
      finish: async () => {
        place.finished += 1;
      },
      remove: async () => {
        stored = undefined;
        place.removed += 1;
      },
      search: async () => ({ ids: new Int32Array(), scores: new Float32Array() }),
      close: async () => {
        place.closed += 1;
      },
    };
  });
  return place;
}

describe('a push', () => {
  it('writes rows of length 1 where the cosine ranks, since places know the inner product alone', async () => {
    const place = memoryPlace();
    await pushIndex(engineOf('cosine'), 'lancedb:./index');
    expect(place.rows).toEqual(
      [
        [0.6, 0.8],
        [0, 0],
        [-0.6, 0.8],
      ].map((row) => [...Float32Array.from(row)]),
    );
  });

  it('writes rows as they are where the inner product ranks', async () => {
    const place = memoryPlace();
    await pushIndex(engineOf('innerProduct'), 'lancedb:./index');
    expect(place.rows).toEqual(embeddings.map((row) => [...row]));
  });

  it.each(['gqe', 'complex'] as const)(
    'is refused for %s, whose scores are no products',
    async (relationForm) => {
      const place = memoryPlace();
      const engine = engineOf('innerProduct');
      const { manifest } = engine;
      const other = { ...engine, manifest: { ...manifest, model: { ...manifest.model, relationForm } } };
      await expect(pushIndex(other, 'lancedb:./index')).rejects.toMatchObject({
        code: 'usage',
        message: expect.stringContaining(`scores of ${relationForm} are`),
      });
      expect(place.rows).toEqual([]);
    },
  );

  it('goes on where another was stopped, and writes no row twice', async () => {
    const place = memoryPlace({ written: 1 });
    expect(await pushIndex(engineOf('cosine'), 'lancedb:./index', { batch: 1 })).toMatchObject({
      rows: 3,
      written: 2,
    });
    expect(place.writes).toEqual([
      [1, 1],
      [2, 1],
    ]);
    expect([place.finished, place.closed]).toEqual([1, 1]);
  });

  it('finishes what has all rows and was not finished, and leaves alone what was', async () => {
    for (const complete of [false, true]) {
      const place = memoryPlace({ written: 3, complete });
      expect(await pushIndex(engineOf('cosine'), 'lancedb:./index')).toMatchObject({ written: 0 });
      expect([place.writes.length, place.finished, place.closed]).toEqual([0, complete ? 0 : 1, 1]);
    }
  });

  it('leaves the index of another bundle alone unless it is to be replaced', async () => {
    const other = { bundle: 'd'.repeat(64), written: 3, complete: true };
    const refused = memoryPlace(other);
    await expect(pushIndex(engineOf('cosine'), 'lancedb:./index')).rejects.toMatchObject({ code: 'bundle' });
    expect([refused.removed, refused.writes.length, refused.closed]).toEqual([0, 0, 1]);
    vi.restoreAllMocks();
    const replaced = memoryPlace(other);
    expect(await pushIndex(engineOf('cosine'), 'lancedb:./index', { replace: true })).toMatchObject({
      written: 3,
    });
    expect([replaced.removed, replaced.rows.length]).toEqual([1, 3]);
  });

  it('does not go on with the rows of another stored form', async () => {
    const place = memoryPlace({ profile: 'int8', written: 1 });
    await expect(pushIndex(engineOf('cosine'), 'lancedb:./index')).rejects.toMatchObject({ code: 'bundle' });
    expect(place.writes).toEqual([]);
  });
});
