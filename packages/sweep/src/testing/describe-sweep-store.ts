import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SweepStore } from '../store/sweep-store.ts';

/** What the suite needs of a test runner. */
export interface StoreTestRunner {
  describe(name: string, body: () => void): void;
  it(name: string, body: () => Promise<void>): void;
  expect(value: unknown): { toEqual(expected: unknown): void };
}

/** A kind of store to be judged. */
export interface StoreUnderTest {
  /** An empty store, and a second way into it as from another machine. */
  open(): Promise<readonly [SweepStore, SweepStore]>;
  /** Bytes of a file that goes there in several parts. */
  readonly largeFile?: number;
}

/** What every store has to do. */
export function describeSweepStore(
  name: string,
  { describe, it, expect }: StoreTestRunner,
  { open, largeFile = 100_000 }: StoreUnderTest,
): void {
  describe(`the store ${name}`, () => {
    it('gives back what was written, and how old it is', async () => {
      const [store, other] = await open();
      await store.write('trials/000001/a.json', 'ü1');
      await store.write('trials/000001/a.json', 'ü2');
      const read = await other.read('trials/000001/a.json');
      expect(read?.text).toEqual('ü2');
      expect(read!.age >= 0 && read!.age < 3600).toEqual(true);
      expect(await other.read('trials/000001/b.json')).toEqual(undefined);
    });

    it('makes a key once, and leaves what stands there', async () => {
      const [store, other] = await open();
      expect(await store.create('claims/1.json', 'first')).toEqual(true);
      expect(await other.create('claims/1.json', 'second')).toEqual(false);
      // The same text again is no second claim either.
      expect(await other.create('claims/1.json', 'first')).toEqual(false);
      expect((await other.read('claims/1.json'))?.text).toEqual('first');
      await store.expectExclusive();
    });

    it('tells one of many that ask at once', async () => {
      const both = await open();
      const asked = Array.from({ length: 24 }, (_, i) => both[i % 2]!.create('race.json', `${i}`));
      const told = await Promise.all(asked);
      expect(told.filter((each) => each).length).toEqual(1);
      expect((await both[0].read('race.json'))?.text).toEqual(String(told.indexOf(true)));
    });

    it('lists keys in order by how they begin, and nothing half written', async () => {
      const [store, other] = await open();
      for (const key of ['b/2.json', 'b/10.json', 'a/1.json', 'b.json']) await store.write(key, key);
      expect(await other.list('b/')).toEqual(['b/10.json', 'b/2.json']);
      expect(await other.list('')).toEqual(['a/1.json', 'b.json', 'b/10.json', 'b/2.json']);
      expect(await other.list('c')).toEqual([]);
      await other.remove('b/2.json');
      await other.remove('b/2.json');
      expect(await store.list('b/')).toEqual(['b/10.json']);
    });

    it('keeps files of any size, byte for byte', async () => {
      const [store, other] = await open();
      const folder = await mkdtemp(join(tmpdir(), 'fuzzqe-store-'));
      try {
        for (const bytes of [0, 1, largeFile]) {
          const content = randomBytes(bytes);
          await writeFile(join(folder, 'file'), content);
          await store.upload('run/last.safetensors', join(folder, 'file'));
          expect(await other.download('run/last.safetensors', join(folder, 'copy'))).toEqual(true);
          expect(content.equals(await readFile(join(folder, 'copy')))).toEqual(true);
        }
        expect(await other.download('run/none', join(folder, 'none'))).toEqual(false);
      } finally {
        await rm(folder, { recursive: true });
      }
    });

    it('takes no key that leads out of it', async () => {
      const [store] = await open();
      for (const key of ['../x', 'a/../x', '/x', 'a//b', 'a/.x', '']) {
        const refused = await store.write(key, '').then(
          () => false,
          () => true,
        );
        expect([key, refused]).toEqual([key, true]);
      }
    });
  });
}
