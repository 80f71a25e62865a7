import { createRandom } from '@fuzzqe/core';
import { expect, it } from 'vitest';
import { createSlots } from './slots.ts';

it('keeps each value at its place until it leaves, and gives places again', () => {
  const slots = createSlots<string>();
  const random = createRandom('slots');
  const kept = new Map<number, string>();
  let most = 0;
  for (let i = 0; i < 2000; i += 1) {
    if (kept.size > 0 && random.uniform() < 0.5) {
      const place = [...kept.keys()][random.below(kept.size)]!;
      expect(slots.get(place)).toBe(kept.get(place));
      slots.remove(place);
      kept.delete(place);
      expect(slots.get(place)).toBeUndefined();
      continue;
    }
    const place = slots.add(`value ${i}`);
    expect(kept.has(place)).toBe(false);
    kept.set(place, `value ${i}`);
    most = Math.max(most, kept.size);
    expect(place).toBeLessThan(most);
  }
  expect(slots.all().sort()).toEqual([...kept.values()].sort());
});

it('gives a place that is let go of twice to one value alone', () => {
  const slots = createSlots<string>();
  const place = slots.add('a');
  slots.remove(place);
  slots.remove(place);
  expect(slots.add('b')).not.toBe(slots.add('c'));
  expect(slots.all().sort()).toEqual(['b', 'c']);
});
