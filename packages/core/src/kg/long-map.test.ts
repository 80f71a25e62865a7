import { describe, expect, it } from 'vitest';
import { createLongMap } from './long-map.ts';

describe('a long map', () => {
  it('does what a Map does, past the entries that one Map has', () => {
    const [long, map] = [createLongMap<number>(3), new Map<string, number>()];
    for (const [i, key] of ['a', 'b', 'c', 'd', 'b', 'e', 'f', 'g', 'd', 'a'].entries()) {
      long.set(key, i);
      map.set(key, i);
      expect(long.size).toBe(map.size);
    }
    for (const [i, key] of ['a', 'h', 'g', 'h', 'i'].entries()) {
      expect(long.add(key, 100 + i)).toBe(map.get(key));
      if (!map.has(key)) map.set(key, 100 + i);
      expect(long.size).toBe(map.size);
    }
    for (const key of [...map.keys(), 'j', '']) expect(long.get(key)).toBe(map.get(key));
  });
});
