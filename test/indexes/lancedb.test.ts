import { chmod, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEntityIndex, pushIndex } from '@fuzzqe/entity-index';
import { afterEach, describe, expect, it } from 'vitest';
// biome-ignore lint/style/noRestrictedImports: which calls of a store may be repeated, and meet, is nothing that the package exports.
import { openLancedbStore } from '../../packages/entity-index/src/lancedb/lancedb-store.ts';
// biome-ignore lint/style/noRestrictedImports: what such a store is of.
import type { IndexContent } from '../../packages/entity-index/src/store/index-content.ts';

const content = {
  bundle: 'b',
  name: 'n',
  profile: 'p',
  metric: 'innerProduct',
  dimension: 4,
  rows: 6,
} as const;
const rowsFrom = (first: number) =>
  Array.from({ length: 3 }, (_, i) => Float32Array.from([first + i, 1, 0, 0]));

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function freshFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'fuzzqe-lance-'));
  ends.push(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

async function openStore(folder: string, of: IndexContent = content) {
  const store = await openLancedbStore({
    connection: folder,
    option: '--index',
    table: 't',
    content: of,
    method: 'exact',
    effort: undefined,
    timeout: 5000,
  });
  ends.push(() => store.close());
  return store;
}

/** A row that another push wrote between two steps of ours: an id, by the driver itself. */
async function addRow(folder: string, id: number): Promise<void> {
  const { connect } = createRequire(new URL('../../packages/entity-index/package.json', import.meta.url))(
    '@lancedb/lancedb',
  );
  const database = await connect(folder);
  const table = await database.openTable('t');
  await table.add([{ id, embedding: [id, 1, 0, 0] }]);
  database.close();
}

/** All that is asked of an engine where nothing is to be written. */
const engine = {
  manifest: {
    sha256: 'b',
    name: 'n',
    model: { dimension: 4, entities: 6, score: 'dot', relationForm: 'bases' },
  },
  profile: 'p',
} as unknown as Parameters<typeof pushIndex>[0];

describe.skipIf(process.env['FUZZQE_TEST_LANCEDB'] !== 'yes')('an index in LanceDB', () => {
  const twice = { code: 'storage', hint: expect.stringContaining('--replace') };

  it('is made and written once, however often it is tried and at once', async () => {
    const store = await openStore(await freshFolder());
    await store.create(content);
    await store.create(content);
    await expect(store.create({ ...content, dimension: 5 } as never)).rejects.toMatchObject({
      code: 'storage',
    });
    await store.create(content);
    // What was given up lands after what was tried again.
    await store.write(0, rowsFrom(0));
    await store.write(3, rowsFrom(3));
    await store.write(0, rowsFrom(0));
    expect(await store.read()).toMatchObject({ written: 6 });
    await expect(store.create(content)).rejects.toMatchObject({ code: 'storage' });
    await store.finish(content, () => undefined);
    const found = await store.search({ embedding: Float32Array.from([1, 0, 0, 0]), k: 6 }, content);
    expect([...found.ids]).toEqual([5, 4, 3, 2, 1, 0]);
  });

  it('that two pushes wrote at once is neither gone on with nor completed, however many rows are there', async () => {
    const folder = await freshFolder();
    const store = await openStore(folder);
    await store.create(content);
    // Both wrote the first rows, and were stopped.
    await store.write(0, rowsFrom(0));
    for (const id of [0, 1]) await addRow(folder, id);
    const next = await openStore(folder);
    expect(await next.read()).toMatchObject({ written: 5, complete: false });
    await expect(next.write(5, rowsFrom(5).slice(0, 1))).rejects.toMatchObject(twice);
    // As many rows as there should be.
    await addRow(folder, 5);
    await expect(next.finish(content, () => undefined)).rejects.toMatchObject({
      ...twice,
      message: 'expected each of the rows 0 to 5 once, got row 0 twice',
    });
    expect(await next.read()).toMatchObject({ complete: false });
  });

  it('with a row more than it was completed with is not taken for whole', async () => {
    const folder = await freshFolder();
    const store = await openStore(folder);
    await store.create(content);
    await store.write(0, rowsFrom(0));
    await store.write(3, rowsFrom(3));
    await store.finish(content, () => undefined);
    expect(await store.read()).toMatchObject({ written: 6, complete: true });
    await addRow(folder, 5);
    expect(await store.read()).toMatchObject({ written: 7, complete: true });
    const again = pushIndex(engine, `lancedb:${folder}?table=t&method=exact`);
    await expect(again).rejects.toMatchObject({ ...twice, message: 'expected 6 rows, got 7' });
  });

  it('is not written by a push whose place another bundle has taken', async () => {
    const folder = await freshFolder();
    const [mine, other] = [content, { ...content, bundle: 'other' }];
    const store = await openStore(folder);
    await store.create(mine);
    await store.write(0, rowsFrom(0));
    const theirs = await openStore(folder, other);
    await theirs.remove();
    await theirs.create(other);
    await theirs.write(0, rowsFrom(0));
    await expect(store.write(3, rowsFrom(3))).rejects.toMatchObject(twice);
    await theirs.write(3, rowsFrom(3));
    await expect(store.finish(mine, () => undefined)).rejects.toMatchObject(twice);
    expect(await theirs.read()).toMatchObject({ bundle: 'other', written: 6, complete: false });
    await theirs.finish(other, () => undefined);
    expect(await theirs.read()).toMatchObject({ bundle: 'other', complete: true });
  });

  it('is looked for without making its folder', async () => {
    const folder = await freshFolder();
    const { manifest, profile } = engine;
    await expect(
      openEntityIndex(`lancedb:${join(folder, 'none')}`, { manifest, profile }),
    ).rejects.toMatchObject({ code: 'bundle', message: 'there is no index of n' });
    expect(await readdir(folder)).toEqual([]);
  });

  it('is refused by its path where a file is in the way, to be read and to be pushed', async () => {
    const file = join(await freshFolder(), 'file');
    await writeFile(file, '');
    const { manifest, profile } = engine;
    const wrong = { code: 'storage', path: file };
    await expect(openEntityIndex(`lancedb:${file}`, { manifest, profile })).rejects.toMatchObject(wrong);
    await expect(pushIndex(engine, `lancedb:${file}`)).rejects.toMatchObject(wrong);
  });

  // Root may read everything.
  it.skipIf(process.getuid?.() === 0)(
    'whose files somebody else may not read is refused as that',
    async () => {
      const folder = await freshFolder();
      const store = await openStore(folder);
      await store.create(content);
      await store.write(0, rowsFrom(0));
      const files = await readdir(folder, { recursive: true });
      for (const file of files.filter((each) => /_indexes\.lance.*\/data\/.*\.lance$/.test(each)))
        await chmod(join(folder, file), 0);
      await expect((await openStore(folder)).read()).rejects.toMatchObject({
        code: 'storage',
        message: expect.stringContaining('reading is forbidden'),
      });
    },
  );
});
