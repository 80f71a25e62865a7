import { once } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { limitHeapGrowth } from './limit-heap-growth.ts';

/** 30 MB live, each part replaced forty times; the most that the heap has after the first fifteen, in megabytes. */
const churn = `
  const v8 = require('node:v8');
  const live = 30 * 1024;
  const part = (i) => new Array(128).fill(i);
  const kept = Array.from({ length: live }, (_, i) => part(i));
  let most = 0;
  for (let i = 0; i < 40 * live; i += 1) {
    kept[(i * 7919) % live] = part(i);
    if (i > 15 * live && i % 500 === 0) most = Math.max(most, v8.getHeapStatistics().used_heap_size);
  }
  require('node:worker_threads').parentPort.postMessage(most / 2 ** 20);
`;

async function mostOfAThread(): Promise<number> {
  // The space of new objects differs between versions of Node and would cover what is old.
  const worker = new Worker(churn, { eval: true, resourceLimits: { maxYoungGenerationSizeMb: 6 } });
  const [most] = await once(worker, 'message');
  return most;
}

it('leaves less garbage in heaps than V8 may', async () => {
  // The most that V8 lets heaps grow to by itself; less where the processor is busy.
  setFlagsFromString('--heap-growing-percent=300');
  const before = await mostOfAThread();
  limitHeapGrowth();
  const after = await mostOfAThread();
  expect(after).toBeLessThan(0.75 * before);
}, 60_000);
