import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { openFactLog } from '@fuzzqe/facts';
import fc, { type Arbitrary } from 'fast-check';
import { atOnce, type Door } from '../door.ts';
import { jsonSigns, mutated, utf8 } from '../mutations.ts';

const change = fc.record(
  {
    does: fc.constantFrom('add', 'remove', 'keep'),
    head: fc.string({ maxLength: 4 }),
    relation: fc.constantFrom('r', 's'),
    tail: fc.string({ maxLength: 4 }),
    source: fc.string(),
    confidence: fc.double({ min: -0.1, max: 1.1 }),
  },
  { requiredKeys: ['does', 'head', 'relation', 'tail'] },
);
const plain = fc.record({
  does: fc.constantFrom('add', 'remove'),
  head: fc.constantFrom('a', 'b"', 'c\\'),
  relation: fc.constant('r'),
  tail: fc.constantFrom('a', 'ü'),
});
const batch = (epoch: number): Arbitrary<unknown> =>
  fc.record({
    epoch: fc.constant(epoch),
    flushed: fc.constant(epoch - 1),
    at: fc.constant('2026-11-28T12:00:00Z'),
    changes: fc.oneof(
      { weight: 4, arbitrary: fc.array(plain, { minLength: 1, maxLength: 3 }) },
      { weight: 1, arbitrary: fc.array(change, { maxLength: 3 }) },
    ),
  });
const lines = fc
  .tuple(batch(1), batch(2), batch(3))
  .map((batches) =>
    batches.map((each) => `${checksum(JSON.stringify(each))} ${JSON.stringify(each)}\n`).join(''),
  );
/** The first byte says whether the checksums are made right, so that what they protect is read. */
const inputs = fc
  .tuple(
    fc.integer({ min: 0, max: 1 }),
    mutated(utf8(lines), [...jsonSigns, '{"does":"add"', ',"changes":[', '\n']),
  )
  .map(([first, bytes]) => Buffer.concat([Uint8Array.of(first), bytes]));

/** The CRC-32 of a text, as the trailer of gzip has it. */
function checksum(text: string | Uint8Array): string {
  const packed = gzipSync(text);
  return packed
    .readUInt32LE(packed.length - 8)
    .toString(16)
    .padStart(8, '0');
}

function withChecksums(bytes: Buffer): string {
  return bytes
    .toString('latin1')
    .split('\n')
    .map((line) =>
      line === '' ? line : `${checksum(Buffer.from(line.slice(9), 'latin1'))} ${line.slice(9)}`,
    )
    .join('\n');
}

/** Logs of facts. */
export const factDoors: readonly Door[] = [
  {
    name: 'fact-logs',
    description: 'logs of changes to facts, with right checksums or without',
    ending: '.bin',
    volume: 'reader',
    inputs,
    refusals: ['data'],
    parallel: atOnce,
    open: async (root) => ({
      async attempt(input, place) {
        const folder = join(root, `${place}`);
        mkdirSync(folder);
        try {
          const bytes = Buffer.from(input.subarray(1));
          const text = input[0] === 1 ? withChecksums(bytes) : bytes.toString('latin1');
          writeFileSync(join(folder, 'store.json'), '{"format":1,"id":"0123456789"}\n');
          writeFileSync(join(folder, 'log-000001.ndjson'), text, 'latin1');
          const store = await openFactLog(folder);
          let epoch = 0;
          for await (const each of store.since(0)) {
            epoch += 1;
            assert.equal(each.epoch, epoch);
            assert(each.changes.length > 0);
          }
          assert.equal(store.epoch, epoch);
          await store.append({
            at: '2026-11-28T12:00:00Z',
            changes: [{ does: 'add', head: 'h', relation: 'r', tail: 't' }],
          });
          await store.compact();
          await store.close();
          const again = await openFactLog(folder);
          assert.equal(again.epoch, epoch + 1);
          await again.close();
        } finally {
          rmSync(folder, { recursive: true, force: true });
        }
      },
    }),
  },
];
