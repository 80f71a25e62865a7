import * as tf from '@tensorflow/tfjs-core';
import { expect, it } from 'vitest';
import { openBackend } from './open-backend.ts';

it('refuses a tensor that WebAssembly has no memory for, and leaves the others alone', async () => {
  const backend = await openBackend('wasm');
  backend.activate();
  const first = tf.tensor([1, 2, 3]);
  expect(() => tf.fill([1_073_741_000], 7)).toThrow(
    'tfjs wasm cannot hold 4294964000 bytes more: WebAssembly has 4 GB for everything',
  );
  expect(Array.from(await tf.add(first, 1).data())).toEqual([2, 3, 4]);
  await backend.close();
});
