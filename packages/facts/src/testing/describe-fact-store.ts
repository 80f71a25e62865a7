import { mostChanges } from '../store/check-batch.ts';
import type { FactStore, NewFactBatch } from '../store/fact-store.ts';
import { describeCompaction } from './describe-compaction.ts';
import { batchesOf, refusalOf } from './read-store.ts';
import { alias, at, batchOf, fact, gone, richNames, value } from './some-batches.ts';

/** What the suite needs of a test runner. */
export interface FactTestRunner {
  describe(name: string, body: () => void): void;
  it(name: string, body: () => Promise<void>): void;
  expect(value: unknown): { toEqual(expected: unknown): void };
}

/** A kind of store to be judged. */
export interface FactStoreUnderTest {
  /** An empty store. */
  open(): Promise<FactStore>;
  /** Opens a closed store again; left out of a store that ends with its process. */
  reopen?(store: FactStore): Promise<FactStore>;
  /** Opens an open store once more, as another process would; left out of a store that one process has for itself. */
  openAgain?(store: FactStore): Promise<FactStore>;
}

/** The epochs that a store tells of. */
function arrivalsOf(store: FactStore) {
  const epochs: number[] = [];
  let wake = (): void => {};
  const stop = store.arrivals!((epoch) => {
    epochs.push(epoch);
    wake();
  });
  return {
    epochs,
    stop,
    /** Resolves when the store has told of an epoch, or of a later one. */
    async reaches(epoch: number): Promise<void> {
      while ((epochs.at(-1) ?? 0) < epoch)
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    },
  };
}

/** What every store of facts has to do. */
export function describeFactStore(
  name: string,
  { describe, it, expect }: FactTestRunner,
  { open, reopen, openAgain }: FactStoreUnderTest,
): void {
  describe(`the store of facts ${name}`, () => {
    it('is empty at first, and has an id that no other store has', async () => {
      const [store, other] = [await open(), await open()];
      expect(store.epoch).toEqual(0);
      expect(await batchesOf(store)).toEqual([]);
      expect(store.id === other.id).toEqual(false);
      await store.compact();
      expect(store.epoch).toEqual(0);
      await store.close();
      await other.close();
    });

    it('gives batches back as they were given, in order, each with the next epoch', async () => {
      const store = await open();
      const rich: NewFactBatch = {
        at: '2026-11-28T12:00:00.5+01:00',
        by: 'Ü "quoted"',
        idempotencyKey: 'k\n1',
        creates: { entities: ['Ü "e"', 'b'], relations: ['r'] },
        changes: [
          { ...fact('a\\b\u{1d11e}\ud800'), source: 's,{"does":"', date: '2020', confidence: 1e-7 },
          { ...gone('"]}\n'), confidence: 1, from: '-0044-03-15', until: '2001-05-31T10:00:07+02:00' },
          { ...fact('e'), from: '2001', until: '2001', said: 1 },
          { ...fact('c'), date: 'yesterday', said: 0.25 },
          { ...fact('d'), does: 'reject', said: 0 },
        ],
      };
      const given = [batchOf(fact('a')), rich, batchOf(gone('a'), fact('a'))];
      for (const [i, batch] of given.entries()) expect(await store.append(batch)).toEqual(i + 1);
      const expected = given.map((batch, i) => ({ epoch: i + 1, ...batch }));
      expect(await batchesOf(store)).toEqual(expected);
      expect(await batchesOf(store, 2)).toEqual(expected.slice(2));
      expect(await batchesOf(store, 3)).toEqual([]);
      await store.close();
    });

    it('keeps names of entities, with changes or without, as they were given', async () => {
      const store = await open();
      const given: readonly NewFactBatch[] = [
        { at, by: 'Ann', idempotencyKey: 'n', names: [richNames], changes: [] },
        { at, creates: { entities: ['new'] }, names: [{ key: 'new', label: 'New' }], changes: [fact('new')] },
        { at, names: [{ key: 'Q142', label: null, aliases: null }], changes: [] },
      ];
      for (const [i, batch] of given.entries()) expect(await store.append(batch)).toEqual(i + 1);
      expect(await batchesOf(store)).toEqual(given.map((batch, i) => ({ epoch: i + 1, ...batch })));
      expect(await store.append(given[0]!)).toEqual(1);
      await store.close();
    });

    it('keeps what was given at the call, whatever becomes of the object', async () => {
      const store = await open();
      const change = { ...fact('a') };
      const changes = [change];
      const appended = store.append({ at, changes });
      change.tail = 'other';
      changes.push(fact('b'));
      await appended;
      expect(await batchesOf(store)).toEqual([{ epoch: 1, at, changes: [fact('a')] }]);
      await store.close();
    });

    it('keeps the order of calls that come at once', async () => {
      const store = await open();
      const tails = Array.from({ length: 50 }, (_, i) => `t${i}`);
      const epochs = await Promise.all(tails.map((tail) => store.append(batchOf(fact(tail)))));
      expect(epochs).toEqual(tails.map((_, i) => i + 1));
      const batches = await batchesOf(store);
      expect(batches.map(({ changes }) => changes[0]?.tail)).toEqual(tails);
      await store.close();
    });

    it('writes a batch with an idempotency key once, at once or later', async () => {
      const store = await open();
      const keyed = (key: string, tail: string): NewFactBatch => ({
        ...batchOf(fact(tail)),
        idempotencyKey: key,
      });
      const calls = [keyed('k', 'a'), keyed('k', 'b'), keyed('other', 'c'), batchOf(fact('d'))];
      expect(await Promise.all(calls.map((batch) => store.append(batch)))).toEqual([1, 1, 2, 3]);
      expect(await store.append(keyed('k', 'e'))).toEqual(1);
      await store.compact();
      expect(await store.append(keyed('other', 'f'))).toEqual(2);
      expect(store.epoch).toEqual(3);
      expect(await store.append(keyed('new', 'g'))).toEqual(4);
      await store.close();
    });

    it('orders batches by their appends, also if clocks run backwards', async () => {
      const store = await open();
      await store.append({ ...batchOf(fact('a')), at: '2026-11-28T12:00:00Z' });
      await store.append({ ...batchOf(gone('a')), at: '2026-11-27T12:00:00+02:00' });
      const found = await batchesOf(store);
      expect(found.map(({ epoch, at }) => `${epoch} ${at}`)).toEqual([
        '1 2026-11-28T12:00:00Z',
        '2 2026-11-27T12:00:00+02:00',
      ]);
      await store.compact();
      expect((await batchesOf(store)).flatMap(({ changes }) => changes)).toEqual([gone('a')]);
      await store.close();
    });

    it('refuses invalid batches with their path, and goes on', async () => {
      const store = await open();
      const change = fact('a');
      const long = 'x'.repeat(65_537);
      const refused: readonly (readonly [unknown, string])[] = [
        [null, '$'],
        [{ at, changes: [] }, '$'],
        [{ at: 'now', changes: [change] }, '$'],
        [{ at: '2026-13-28T12:00:00Z', changes: [change] }, '$'],
        [{ at, changes: [change], more: 1 }, '$'],
        [{ at, names: [], changes: [] }, '$.names'],
        [{ at, creates: { entities: [] }, changes: [] }, '$.changes'],
        ...[
          { label: '' },
          { label: long },
          { label: 7 },
          {},
          { aliases: [alias('')] },
          { aliases: ['text'] },
          { attributes: [{ key: 'area', values: [{ ...value, type: 'area' }] }] },
          { attributes: [{ key: '', values: [] }] },
          { attributes: null },
          { name: 'A' },
        ].map((names) => [{ at, names: [{ key: 'a', ...names }], changes: [change] }, '$.names[0]'] as const),
        [{ at, names: [{ key: '', label: 'A' }], changes: [] }, '$.names[0].key'],
        [{ at, changes: [change], epoch: 1 }, '$'],
        [{ at, changes: [change], idempotencyKey: '' }, '$'],
        [{ at, changes: [change, { ...change, more: 1 }] }, '$.changes[1]'],
        [{ at, changes: [{ ...change, does: 'keep' }] }, '$.changes[0]'],
        [{ at, changes: [{ ...change, head: '' }] }, '$.changes[0]'],
        [{ at, changes: [{ ...change, tail: long }] }, '$.changes[0]'],
        [{ at, changes: [{ ...change, relation: 'a\0b' }] }, '$.changes[0]'],
        [{ at, changes: [{ ...change, source: 7 }] }, '$.changes[0]'],
        ...[{ from: 'yesterday' }, { until: 2001 }, { from: '2001-02', until: '2001' }].map(
          (span) => [{ at, changes: [{ ...change, ...span }] }, '$.changes[0]'] as const,
        ),
        ...[-1, 1.5, Number.NaN].map(
          (said) => [{ at, changes: [{ ...change, said }] }, '$.changes[0]'] as const,
        ),
        ...[0, -1, 1.5, Number.NaN].map(
          (confidence) => [{ at, changes: [{ ...change, confidence }] }, '$.changes[0]'] as const,
        ),
        [{ at, changes: Array.from({ length: mostChanges + 1 }, () => change) }, '$'],
        // 1100 × 64 KiB is more than 64 MiB.
        [{ at, changes: Array.from({ length: 1100 }, () => ({ ...change, tail: long.slice(1) })) }, '$'],
      ];
      for (const [batch, path] of refused) {
        const got = await refusalOf(() => store.append(batch as NewFactBatch));
        expect([got, got.startsWith('data ') && got.includes(path)]).toEqual([got, true]);
      }
      expect(await store.append(batchOf({ ...change, tail: long.slice(1) }))).toEqual(1);
      await store.close();
    });

    it('refuses everything once it is closed', async () => {
      const store = await open();
      const appended = store.append(batchOf(fact('a')));
      await store.close();
      expect(await appended).toEqual(1);
      for (const work of [
        () => store.append(batchOf(fact('b'))),
        () => batchesOf(store),
        () => store.compact(),
      ])
        expect((await refusalOf(work)).startsWith('runtime')).toEqual(true);
      await store.close();
    });

    describeCompaction({ it, expect }, { open });

    if (reopen !== undefined)
      it('is the same store when it is opened again', async () => {
        let store = await open();
        const { id } = store;
        await store.append({ ...batchOf(fact('a')), idempotencyKey: 'k' });
        for (const compacts of [false, true]) {
          if (compacts) await store.compact();
          await store.close();
          store = await reopen(store);
          expect([store.id, store.epoch]).toEqual([id, 1]);
          expect((await batchesOf(store)).map(({ changes }) => changes)).toEqual([[fact('a')]]);
          expect(await store.append({ ...batchOf(fact('b')), idempotencyKey: 'k' })).toEqual(1);
        }
        expect(await store.append(batchOf(gone('a')))).toEqual(2);
        await store.close();
      });

    if (openAgain !== undefined) {
      it('tells of batches that others appended, and of no other, until it is told to stop', async () => {
        const store = await open();
        await store.append(batchOf(fact('a')));
        const other = await openAgain(store);
        expect([other.id, other.epoch]).toEqual([store.id, 1]);
        const [told, toldOther] = [arrivalsOf(store), arrivalsOf(other)];
        await other.append(batchOf(fact('b')));
        await told.reaches(2);
        expect(store.epoch).toEqual(2);
        expect((await batchesOf(store, 1)).map(({ changes }) => changes[0])).toEqual([fact('b')]);
        await store.append(batchOf(fact('c')));
        await toldOther.reaches(3);
        // Epochs of its own between those of others.
        await Promise.all([store, other, store, other].map((each) => each.append(batchOf(fact('d')))));
        await Promise.all([store, other].map((each) => each.append(batchOf(fact('e')))));
        for (const { epochs } of [told, toldOther]) {
          expect(epochs).toEqual([...epochs].sort((one, next) => one - next));
          expect(new Set(epochs).size).toEqual(epochs.length);
        }
        told.stop();
        const before = told.epochs.length;
        await other.append(batchOf(fact('e')));
        expect(await store.append(batchOf(fact('f')))).toEqual(11);
        expect(told.epochs.length).toEqual(before);
        await store.close();
        await other.close();
      });

      it('gives each batch of several writers an epoch of its own, without a gap', async () => {
        const store = await open();
        const writers = [store, await openAgain(store), await openAgain(store)];
        const given = await Promise.all(
          writers.flatMap((writer, w) =>
            Array.from({ length: 20 }, async (_, i) => {
              // A key that all writers use once is one batch.
              const keyed = { ...batchOf(fact('shared')), idempotencyKey: `k${i}` };
              return i % 4 === 0
                ? [await writer.append(keyed), 'shared']
                : [await writer.append(batchOf(fact(`${w} ${i}`))), `${w} ${i}`];
            }),
          ),
        );
        const batches = await batchesOf(store);
        const distinct = 3 * 15 + 5;
        expect(batches.map(({ epoch }) => epoch)).toEqual(Array.from({ length: distinct }, (_, i) => i + 1));
        for (const [epoch, tail] of given) expect(batches[Number(epoch) - 1]?.changes[0]?.tail).toEqual(tail);
        await writers[1]!.compact();
        expect((await batchesOf(writers[2]!)).at(-1)?.epoch).toEqual(distinct);
        expect(await store.append({ ...batchOf(fact('late')), idempotencyKey: 'k0' })).toEqual(
          Math.min(
            ...given.flatMap(([epoch, tail], i) =>
              i % 20 === 0 && tail === 'shared' ? [Number(epoch)] : [],
            ),
          ),
        );
        await Promise.all(writers.map((each) => each.close()));
      });
    }
  });
}
