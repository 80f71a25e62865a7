import type { EntityNames } from '../store/entity-names.ts';
import type { FactStoreUnderTest, FactTestRunner } from './describe-fact-store.ts';
import { batchesOf, lastChanges, refusalOf } from './read-store.ts';
import { alias, at, batchOf, fact, gone, numberOf } from './some-batches.ts';

/** What the compaction of every store of facts has to do. */
export function describeCompaction(
  { it, expect }: Pick<FactTestRunner, 'it' | 'expect'>,
  { open }: Pick<FactStoreUnderTest, 'open'>,
): void {
  it('keeps what all batches create when it compacts', async () => {
    const store = await open();
    await store.append({ ...batchOf(fact('a')), creates: { entities: ['a'], relations: ['r'] } });
    await store.append({ ...batchOf(fact('b')), creates: { entities: ['a', 'b'] } });
    await store.append(batchOf(gone('a')));
    await store.compact();
    const [compacted] = await batchesOf(store);
    expect(compacted?.creates).toEqual({ entities: ['a', 'b'], relations: ['r'] });
    await store.close();
  });

  it('keeps the last of each part of the names when it compacts, with changes or without', async () => {
    const store = await open();
    const named = (...names: readonly EntityNames[]): Promise<number> =>
      store.append({ at, names, changes: [] });
    await named({ key: 'a', label: 'A', aliases: [alias('first')] }, { key: 'b', label: 'B' });
    await named({ key: 'a', attributes: [numberOf('area', '1'), numberOf('height', '2')] });
    await named(
      { key: 'a', aliases: null, attributes: [{ key: 'area', values: null }] },
      { key: 'b', label: null },
    );
    const expected: readonly EntityNames[] = [
      {
        ...{ key: 'a', label: 'A', aliases: null },
        attributes: [{ key: 'area', values: null }, numberOf('height', '2')],
      },
      { key: 'b', label: null },
    ];
    const netNames = async (): Promise<readonly EntityNames[]> =>
      (await batchesOf(store)).flatMap(({ names = [] }) => names);
    await store.compact();
    expect([store.epoch, await netNames()]).toEqual([3, expected]);
    await store.append(batchOf(fact('c')));
    await named({ key: 'b', label: 'B again' });
    await store.compact();
    const [, b] = await netNames();
    expect(b).toEqual({ key: 'b', label: 'B again' });
    expect((await batchesOf(store)).flatMap(({ changes }) => changes)).toEqual([fact('c')]);
    await store.close();
  });

  it('keeps the last change of each fact in compaction, and the epoch', async () => {
    const store = await open();
    await store.append({ ...batchOf(fact('a'), fact('b'), fact('c')), by: 'x' });
    await store.append({ ...batchOf(gone('a'), { ...fact('b'), confidence: 0.5 }), by: 'x' });
    const before = lastChanges(await batchesOf(store));
    await store.compact();
    expect(store.epoch).toEqual(2);
    const after = await batchesOf(store);
    expect(after.at(-1)?.epoch).toEqual(2);
    expect(after.flatMap(({ changes }) => changes)).toEqual([
      fact('c'),
      gone('a'),
      { ...fact('b'), confidence: 0.5 },
    ]);
    expect(new Set(after.map(({ by }) => by))).toEqual(new Set(['x']));
    expect([...lastChanges(after)].sort()).toEqual([...before].sort());
    expect(await store.append(batchOf(fact('d')))).toEqual(3);
    await store.compact();
    await store.compact();
    expect((await batchesOf(store)).at(-1)?.epoch).toEqual(3);
    await store.close();
  });

  it('gives batches after compaction from 0 or from its epoch on, and refuses epochs that it does not have', async () => {
    const store = await open();
    for (const tail of ['a', 'b', 'c']) await store.append(batchOf(fact(tail)));
    await store.compact();
    await store.append(batchOf(fact('d')));
    expect((await batchesOf(store, 3)).map(({ epoch }) => epoch)).toEqual([4]);
    expect((await batchesOf(store, 4)).length).toEqual(0);
    for (const epoch of [1, 2, 5, -1, 0.5, Number.NaN])
      expect((await refusalOf(() => batchesOf(store, epoch))).startsWith('range')).toEqual(true);
    await store.close();
  });

  it('lets a reader finish with what it began, through appends and compaction', async () => {
    const store = await open();
    for (const tail of ['a', 'b', 'c']) await store.append(batchOf(fact(tail)));
    const seen: number[] = [];
    for await (const { epoch } of store.since(0)) {
      seen.push(epoch);
      if (epoch !== 1) continue;
      await store.append(batchOf(gone('a')));
      await store.compact();
    }
    expect(seen).toEqual([1, 2, 3]);
    await store.close();
  });
}
