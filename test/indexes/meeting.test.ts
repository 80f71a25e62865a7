import { openEntityIndex, pushIndex } from '@fuzzqe/entity-index';
import { describe, expect, it } from 'vitest';
import { places } from './places.ts';

const [entities, dimension] = [40, 4];

/** All that is asked of an engine: rows of a bundle, whose numbers tell bundles apart. */
function engineOf(bundle: string, onRows: (first: number) => Promise<unknown>, size = entities) {
  return {
    manifest: {
      sha256: bundle.repeat(64),
      name: bundle,
      model: { entities: size, dimension, score: 'dot', relationForm: 'bases' },
    },
    profile: 'fp32',
    ranker: {
      async rank(batch: readonly { readonly query: { readonly entity: number } }[]) {
        await onRows(batch[0]!.query.entity);
        return batch.map(({ query }) => ({
          task: 'embed',
          embedding: Float32Array.from([query.entity, bundle.charCodeAt(0), 0, 0]),
        }));
      },
    },
  } as unknown as Parameters<typeof pushIndex>[0];
}

const nobody = async (): Promise<void> => {};
const storage = { code: 'storage', hint: expect.stringContaining('--replace') };

describe.each(Object.entries(places))('%s', (_, place) => {
  if (!place.there) {
    it.skip(`${place.what} is not there: test/indexes/run-indexes.sh brings it`);
    return;
  }

  it('refuses the rows of a push whose place another bundle took, which becomes whole', async () => {
    const at = place.address(`met${process.pid}`);
    const theirs = engineOf('b', nobody);
    // Another push replaces it while the third portion is made.
    const mine = engineOf('a', async (first) => {
      if (first === 20) await pushIndex(theirs, at, { replace: true });
    });
    await expect(pushIndex(mine, at, { batch: 10 })).rejects.toMatchObject(storage);
    const { manifest, profile } = theirs;
    const index = await openEntityIndex(at, { manifest, profile, checkEvery: 0 });
    const [found] = await index.search([{ embedding: Float32Array.from([0, 1, 0, 0]), k: entities }]);
    // Each row is of the other bundle.
    expect([...found!.scores]).toEqual(Array.from({ length: entities }, () => 'b'.charCodeAt(0)));
    await index.close();
  });

  it('never counts rows that a push writes on into a place that was emptied meanwhile', async () => {
    const at = place.address(`emptied${process.pid}`);
    const stop = new AbortController();
    const again = engineOf('a', async (first) => {
      if (first === 10) stop.abort();
    });
    const mine = engineOf('a', async (first) => {
      if (first !== 20) return;
      const stopped = pushIndex(again, at, { batch: 10, replace: true, signal: stop.signal });
      await expect(stopped).rejects.toMatchObject({ code: 'interrupted' });
    });
    // 10 rows are there, and the next would be those from 20 on.
    await expect(pushIndex(mine, at, { batch: 10 })).rejects.toMatchObject(storage);
    const { manifest, profile } = mine;
    await expect(openEntityIndex(at, { manifest, profile, checkEvery: 0 })).rejects.toMatchObject({
      message: expect.stringContaining('not complete'),
    });
    const whole = await pushIndex(engineOf('a', nobody), at, { replace: true });
    expect(whole).toMatchObject({ rows: entities, written: entities });
    const index = await openEntityIndex(at, { manifest, profile, checkEvery: 0 });
    const [found] = await index.search([{ embedding: Float32Array.from([1, 0, 0, 0]), k: entities }]);
    expect([...found!.ids]).toEqual(Array.from({ length: entities }, (_, i) => entities - 1 - i));
    await index.close();
  });
});
