import { expect, it } from 'vitest';
import { createSetCache } from './index.ts';

it('keeps the sets that were used last, without what lies behind a view', () => {
  const cache = createSetCache(2);
  const memory = new Float32Array(100);
  cache.put('a', Float32Array.of(1));
  cache.put('b', memory.subarray(0, 2));
  expect(cache.get('a')).toEqual(Float32Array.of(1));
  cache.put('c', Float32Array.of(3));
  expect(cache.get('b')).toBeUndefined();
  expect(cache.get('a')).toEqual(Float32Array.of(1));
  expect(cache.get('c')).toEqual(Float32Array.of(3));
  cache.put('d', memory.subarray(0, 2));
  expect(cache.get('d')!.buffer.byteLength).toBe(8);
  expect([cache.hits, cache.misses]).toEqual([4, 1]);
});
