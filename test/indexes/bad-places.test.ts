import { rm } from 'node:fs/promises';
import { type TinyBundle, tinyBundle } from '@fuzzqe/parity/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
// biome-ignore lint/style/noRestrictedImports: how the command ends is nothing that the package exports.
import { runFuzzqe as fuzzqe } from '../../packages/cli/src/testing/run-fuzzqe.ts';
import { places, wrongPassword } from './places.ts';

let bundle: TinyBundle;
beforeAll(async () => {
  bundle = await tinyBundle();
});
afterEach(() => {
  vi.unstubAllEnvs();
});
afterAll(() => rm(bundle.directory, { recursive: true, force: true }));

let made = 0;
const freshTable = (): string => `bad${process.pid}_${++made}`;
const push = (address: string, ...flags: string[]) =>
  fuzzqe('index', 'push', bundle.directory, '--to', address, ...flags);
const recall = (address: string) =>
  fuzzqe('index', 'recall', bundle.directory, '--index', address, '--structures', '1p', '--queries', '2');

describe.each(Object.entries(places))('%s', (_, place) => {
  if (!place.there) {
    it.skip(`${place.what} is not there: test/indexes/run-indexes.sh brings it`);
    return;
  }
  const { wrong } = place;

  it.skipIf(wrong === undefined)(
    'ends with 8 and one error where the password is wrong, which nothing shows',
    async () => {
      const table = freshTable();
      const { address, environment = {} } = wrong!(table);
      for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
      for (const command of [push, recall]) {
        const { code, notes, out } = await command(address);
        expect(code, notes).toBe(8);
        expect(notes).toContain('the entity index cannot be reached');
        expect(notes).toContain(table);
        expect(notes).toMatch(/authentication|auth check|Signature/);
        expect(`${notes}${out}`).not.toContain(wrongPassword);
      }
    },
  );

  it('ends with 9 where another table has that name, which stays as it is', async () => {
    const table = freshTable();
    const hand = await place.hand();
    await hand.makeForeign(table);
    const address = place.address(table);
    for (const outcome of [await push(address), await push(address, '--replace'), await recall(address)]) {
      expect(outcome.code, outcome.notes).toBe(9);
      expect(outcome.notes).toMatch(/expected an index of fuzzqe or no (table|collection)/);
    }
    expect(await hand.count(table)).toBe(1);
    await hand.close();
  });

  it('ends with 9 where another table has the name of the register, which stays as it is', async () => {
    const { address, hand: open } = place.elsewhere();
    const hand = await open();
    await hand.makeForeign('fuzzqe_indexes');
    const table = freshTable();
    for (const outcome of [await push(address(table)), await push(address(table), '--replace')]) {
      expect(outcome.code, outcome.notes).toBe(9);
      expect(outcome.notes).toContain('fuzzqe_indexes');
    }
    expect(await hand.count('fuzzqe_indexes')).toBe(1);
    await hand.close();
  });

  it('ends with 6 where the rows are of another metric, until they are replaced', async () => {
    const address = place.address(freshTable());
    expect((await push(address)).code).toBe(0);
    const hand = await place.hand();
    await hand.setMetric(/table=(\w+)/.exec(address)![1]!, 'euclidean');
    await hand.close();
    for (const outcome of [await push(address), await recall(address)]) {
      expect(outcome.code, outcome.notes).toBe(6);
      expect(outcome.notes).toMatch(/the metric innerProduct, got euclidean/);
    }
    expect((await push(address, '--replace')).code).toBe(0);
    expect((await recall(address)).code).toBe(0);
  });
});
