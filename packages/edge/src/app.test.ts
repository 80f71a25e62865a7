import { FuzzError } from '@fuzzqe/core';
import * as ort from 'onnxruntime-web/wasm';
import { expect, expectTypeOf, it, vi } from 'vitest';
import { createEdgeApp } from './app.ts';
import { fetchSource } from './bundle-source.ts';
import { createWorker, type WorkerOptions } from './worker.ts';

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

const given = (value: unknown): never => value as never; // what callers without types may give
const source = fetchSource('https://example.org/bundle');

it.each<[string, unknown]>([
  ['$.options', undefined],
  ['$.source', { ort }],
  ['$.source', { ort, source: 'https://example.org/bundle' }],
  ['$.ort', { source }],
  ['$.ort', { source, ort: {} }],
  ['$.requireSignatur', { source, ort, requireSignatur: 'a key' }],
  ['$.openTimeout', { source, ort, openTimeout: Number.NaN }],
  ['$.api', { source, ort, api: 3 }],
  ['$.api.maxK', { source, ort, api: { maxK: 'x' } }],
])('is refused before the first request where %s is wrong', (path, options) => {
  expect(() => createEdgeApp(given(options))).toThrow(expect.objectContaining({ code: 'usage', path }));
});

it.each<[string, unknown]>([
  ['$.options', undefined],
  ['$.wasm', { source: () => source }],
  ['$.source', { wasm: {} }],
  ['$.source', { wasm: {}, source }],
  ['$.memorylimit', { wasm: {}, source: () => source, memorylimit: 1 }],
  ['$.api.bodyLimt', { wasm: {}, source: () => source, api: { bodyLimt: 1 } }],
])('a Worker is refused as it starts where %s is wrong', (path, options) => {
  expect(() => createWorker(given(options))).toThrow(expect.objectContaining({ code: 'usage', path }));
});

it.each<[string, unknown[]]>([
  ['$.address', []],
  ['$.address', [3]],
  ['$.options', ['https://example.org', null]],
  ['$.fetch', ['https://example.org', { fetch: 3 }]],
  ['$.timeuot', ['https://example.org', { timeuot: 3 }]],
])('a source is refused where %s is wrong: %j', (path, options) => {
  const [address, how] = options;
  const open = (): unknown =>
    options.length < 2 ? fetchSource(given(address)) : fetchSource(given(address), given(how));
  expect(open).toThrow(expect.objectContaining({ code: 'usage', path }));
});

it('a Worker is prepared by its image alone', () => {
  expectTypeOf<WorkerOptions<object>>().toHaveProperty('image');
  expectTypeOf<WorkerOptions<object>>().not.toHaveProperty('prepare');
});
