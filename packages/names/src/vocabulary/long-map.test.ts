import { describe, expect, it } from 'vitest';
import { createLongMap } from './long-map.ts';

describe('a long map', () => {
  it('does what a Map does, past the entries that one Map has', () => {
    const [long, map] = [createLongMap<number>(3), new Map<string, number>()];
    for (const [i, key] of ['a', 'b', 'c', 'd', 'b', 'e', 'f', 'g', 'd', 'a', 'h', 'h'].entries()) {
      expect(long.add(key, i)).toBe(map.get(key));
      if (!map.has(key)) map.set(key, i);
    }
    for (const key of ['a', 'd', 'g']) {
      long.replace(key, 100);
      map.set(key, 100);
    }
    long.replace('none', 100);
    for (const key of [...map.keys(), 'none', '']) expect(long.get(key)).toBe(map.get(key));
  });
});
