import { FuzzError } from '@fuzzqe/core';
import * as ort from 'onnxruntime-web/wasm';
import { expect, expectTypeOf, it, vi } from 'vitest';
import { createEdgeApp } from './app.ts';
import type { WorkerOptions } from './worker.ts';

it('answers 500 where neither what prepares it nor who hears of faults works', async () => {
  const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const heard: string[] = [];
  const app = createEdgeApp({
    ort,
    source: {
      location: 'nowhere',
      async read() {
        // Later than what prepares it fails.
        await new Promise((resolve) => setTimeout(resolve, 5));
        throw new FuzzError('bundle', 'no file');
      },
    },
    async prepare() {
      throw new Error('no image');
    },
    api: {
      onError(error) {
        heard.push(error instanceof Error ? error.message : '');
        throw new Error('no listener');
      },
    },
  });
  const { status } = await app.fetch(new Request('https://example.org/v1/query'));
  expect(status).toBe(500);
  expect(heard).toEqual(['no image', 'no file']);
  expect(logged.mock.calls.map(([line]) => JSON.parse(`${line}`).message)).toEqual([
    'no image',
    'no listener',
    'no file',
    'no listener',
  ]);
  logged.mockRestore();
});

it('a Worker is prepared by its image alone', () => {
  expectTypeOf<WorkerOptions<object>>().toHaveProperty('image');
  expectTypeOf<WorkerOptions<object>>().not.toHaveProperty('prepare');
});
