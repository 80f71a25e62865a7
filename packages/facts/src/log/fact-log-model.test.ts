import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createMemoryFacts, type FactChange, type FactStore, openFactLog } from '../index.ts';
import { batchesOf, lastChanges } from '../testing/index.ts';

const key = fc.constantFrom('a', 'b', 'Q142', 'ü"\\', 'http://example.org/a-key-that-is-long');
const change: fc.Arbitrary<FactChange> = fc.record(
  {
    does: fc.constantFrom('add' as const, 'remove' as const, 'reject' as const),
    head: key,
    relation: fc.constantFrom('r', 's'),
    tail: key,
    source: key,
    confidence: fc.constantFrom(0.25, 1),
    said: fc.constantFrom(0, 0.75),
  },
  { requiredKeys: ['does', 'head', 'relation', 'tail'] },
);
const batch = fc.record(
  {
    at: fc.constant('2026-11-28T12:00:00Z'),
    by: fc.constantFrom('x', 'y'),
    idempotencyKey: fc.constantFrom('k1', 'k2', 'k3', 'k4', 'k5'),
    changes: fc.array(change, { minLength: 1, maxLength: 4 }),
  },
  { requiredKeys: ['at', 'changes'] },
);
const step = fc.oneof(
  { weight: 6, arbitrary: fc.array(batch, { minLength: 1, maxLength: 5 }) },
  { weight: 2, arbitrary: fc.constant('reopen' as const) },
  { weight: 1, arbitrary: fc.constant('compact' as const) },
);

it('a log has the batches of a store in memory after any appends, compactions and openings', async () => {
  const root = await mkdtemp(join(tmpdir(), 'fuzzqe-facts-model-'));
  let runs = 0;
  try {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 12 }),
        fc.constantFrom(1, 300, 2 ** 20),
        async (steps, segmentBytes) => {
          runs += 1;
          const folder = join(root, `${runs}`);
          const model = createMemoryFacts();
          const all: Parameters<FactStore['append']>[0][] = [];
          let store = await openFactLog(folder, { segmentBytes });
          for (const each of steps) {
            if (each === 'reopen') {
              await store.close();
              store = await openFactLog(folder, { segmentBytes });
            } else if (each === 'compact') {
              await Promise.all([store.compact(), model.compact()]);
            } else {
              const append = (to: FactStore): Promise<number[]> => Promise.all(each.map((b) => to.append(b)));
              expect(await append(store)).toEqual(await append(model));
              all.push(...each);
            }
            expect(store.epoch).toBe(model.epoch);
            expect(await batchesOf(store)).toEqual(await batchesOf(model));
          }
          // By another way than both: every batch whose key is new, one after the other.
          const keys = new Set<string>();
          const net = lastChanges(await batchesOf(store));
          const plain = new Map<string, FactChange>();
          for (const { idempotencyKey, changes } of all) {
            if (idempotencyKey !== undefined && keys.has(idempotencyKey)) continue;
            if (idempotencyKey !== undefined) keys.add(idempotencyKey);
            for (const c of changes) plain.set(`${c.head}\0${c.relation}\0${c.tail}`, c);
          }
          expect(net).toEqual(plain);
          await store.close();
        },
      ),
      { numRuns: 60 },
    );
  } finally {
    await rm(root, { recursive: true });
  }
});
