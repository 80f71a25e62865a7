import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
// biome-ignore lint/style/noRestrictedImports: which calls of a store may be repeated is nothing that the package exports.
import { openLancedbStore } from '../../packages/entity-index/src/lancedb/lancedb-store.ts';

it.skipIf(process.env['FUZZQE_TEST_LANCEDB'] !== 'yes')(
  'an index in LanceDB is made and written once, however often it is tried and at once',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'fuzzqe-lance-'));
    const content = {
      bundle: 'b',
      name: 'n',
      profile: 'p',
      metric: 'innerProduct',
      dimension: 4,
      rows: 6,
    } as const;
    const open = (of = content) =>
      openLancedbStore({
        connection: folder,
        table: 't',
        content: of,
        method: 'exact',
        effort: undefined,
        timeout: 5000,
      });
    const store = await open();
    try {
      await store.create(content);
      await store.create(content);
      await expect(store.create({ ...content, dimension: 5 } as never)).rejects.toMatchObject({
        code: 'storage',
      });
      await store.create(content);
      const rows = (first: number) =>
        Array.from({ length: 3 }, (_, i) => Float32Array.from([first + i, 1, 0, 0]));
      // What was given up lands after what was tried again.
      await store.write(0, rows(0));
      await store.write(3, rows(3));
      await store.write(0, rows(0));
      expect(await store.read()).toMatchObject({ written: 6 });
      await expect(store.create(content)).rejects.toMatchObject({ code: 'storage' });
      await store.finish(content, () => undefined);
      const found = await store.search({ embedding: Float32Array.from([1, 0, 0, 0]), k: 6 }, content);
      expect([...found.ids]).toEqual([5, 4, 3, 2, 1, 0]);
    } finally {
      await store.close();
      await rm(folder, { recursive: true, force: true });
    }
  },
);
