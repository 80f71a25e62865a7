import { FuzzError } from '@fuzzqe/core';
import type { Ranker } from '@fuzzqe/engine';
import { describe, expect, it } from 'vitest';
import type { BundleWorker } from './start-worker.ts';
import { createSwappingRanker } from './swapping-ranker.ts';

const found = { total: 0, results: [] };
/** Of a ranker, closing is all that is used here. */
const ranker = { close: async () => undefined } as unknown as Ranker;
const worker = (lost: string | undefined, search: BundleWorker['search']): BundleWorker => ({
  ranker,
  runtime: 'a runtime',
  sent: undefined,
  lost,
  search,
  textsOf: async () => ({}),
  name: async () => undefined,
});
const call = { kind: 'entities', text: 'France', page: undefined } as const;

describe('a search', () => {
  it('goes on in another worker where the device is lost meanwhile', async () => {
    let lost: string | undefined;
    const first: BundleWorker = {
      ...worker(undefined, async () => {
        lost = 'gone';
        throw new FuzzError('runtime', 'the graphics processor went away');
      }),
      get lost() {
        return lost;
      },
    };
    const reasons: string[] = [];
    const swapping = createSwappingRanker(first, async (reason) => {
      reasons.push(reason);
      return worker(undefined, async () => found);
    });
    expect(await swapping.search(call)).toBe(found);
    expect(reasons).toEqual(['gone']);
  });

  it('fails where its worker is there and refuses it', async () => {
    const refusing = worker(undefined, async () => {
      throw new FuzzError('usage', 'no page');
    });
    const swapping = createSwappingRanker(refusing, () => expect.unreachable());
    await expect(swapping.search(call)).rejects.toMatchObject({ code: 'usage' });
  });
});

it('another worker has the names and the facts of the page before it answers', async () => {
  const told: string[] = [];
  const noting = (name: string, lost: string | undefined): BundleWorker => ({
    ...worker(lost, async () => {
      told.push(`${name} searches`);
      return found;
    }),
    ranker: {
      ...ranker,
      async follow({ epoch }) {
        told.push(`${name} follows ${epoch}`);
      },
    },
    async name({ entities }) {
      told.push(`${name} hears of ${entities?.[0]?.key}`);
    },
  });
  const first = { ...noting('first', undefined), lost: undefined as string | undefined };
  const swapping = createSwappingRanker(first, async () => noting('second', undefined));
  await swapping.name({ entities: [{ key: 'Q1', label: 'Q1' }] });
  // Of an epoch, its number is all that is looked at here.
  await swapping.follow!({ epoch: 7 } as Parameters<NonNullable<Ranker['follow']>>[0]);
  first.lost = 'gone';
  await swapping.search(call);
  expect(told).toEqual([
    'first hears of Q1',
    'first follows 7',
    'second hears of Q1',
    'second follows 7',
    'second searches',
  ]);
});
