// A process that appends batches to a log and says which are durable, until it is killed:
//
//   node append-until-killed.js FOLDER FIRST
//
// Batch n has the idempotency key n and `sizeOf(n)` facts, of which each has its own tail. A line of the output is the number of a batch
// that is durable.
import { openFactLog } from '../../log/open-fact-log.ts';
import { numberedBatch } from './numbered-batch.ts';

const [folder = '', first = '1'] = process.argv.slice(2);
const store = await openFactLog(folder, { segmentBytes: 100_000 });
const say = (n: number): unknown => process.stdout.write(`${n}\n`);
say(0);
for (let n = Number(first); ; n += 4) {
  // Four at once share a flush.
  const group = [n, n + 1, n + 2, n + 3].map(async (each) => {
    await store.append(numberedBatch(each));
    say(each);
  });
  const isFifth = Math.floor(n / 4) % 5 === 0;
  await Promise.all(isFifth ? [...group, store.compact()] : group);
}
