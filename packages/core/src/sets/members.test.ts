import { describe, expect, it } from 'vitest';
import { createRandom } from '../random.ts';
import { membersAreDecided, membersOf } from './members.ts';
import { certain } from './projection-settings.ts';

const random = createRandom(5);

describe('the members that a projection takes along', () => {
  const few = { certainMembers: 2, predictedMembers: 3 };

  it('are the certain ones and the best of the others, lower ids first', () => {
    const set = Float32Array.of(0.2, 1, 0, 0.97, 0.3, 1, 0.3, 0.1);
    const alike = new Float32Array(8).fill(0.25);
    expect([...membersOf(set, alike, few).ids]).toEqual([1, 5, 4, 6, 0]);
    expect([...membersOf(set, alike, { ...few, predictedMembers: 0 }).ids]).toEqual([1, 5]);
    expect([...membersOf(new Float32Array(8), alike, few).ids]).toEqual([]);
  });

  it('are those through which most is expected, whatever their own degrees', () => {
    const set = Float32Array.of(0.2, 1, 0, 0.97, 0.3, 1, 0.3, 0.1);
    const expected = Float32Array.of(0.25, 0.125, 0.5, 0.25, 0.125, 0.125, 0.0625, 0.5);
    // 0.2425 and 0.125 of the certain ones; 0.05 twice and 0.0375 of the others.
    expect([...membersOf(set, expected, few).ids]).toEqual([3, 1, 0, 7, 4]);
  });

  it('are those of a full sort in long sets', () => {
    const set = Float32Array.from({ length: 5000 }, () => Math.round(900 * random.uniform()) / 1000);
    const ids = Array.from(set.keys()).filter((id) => set[id]! > 0 && set[id]! < certain);
    const sorted = ids.sort((a, b) => set[b]! - set[a]! || a - b);
    const alike = new Float32Array(5000).fill(0.25);
    expect([...membersOf(set, alike, { ...few, predictedMembers: 40 }).ids]).toEqual(sorted.slice(0, 40));
  });

  it('are decided where no degree near the last one is left out, and none is near certainty', () => {
    const two = { certainMembers: 1, predictedMembers: 2 };
    const isDecided = (...degrees: number[]): boolean =>
      membersAreDecided(Float32Array.from(degrees), new Float32Array(degrees.length).fill(1), two, 1e-3);
    expect(isDecided(0.5, 0.4, 0.3)).toBe(true);
    expect(isDecided(0.5, 0.4, 0.3999)).toBe(false);
    expect(isDecided(0.5, 0.3999, 0.4)).toBe(false);
    // Two that are both kept, or two that are both left out, may be as near as they like.
    expect(isDecided(0.4, 0.4001, 0.1, 0.1001)).toBe(true);
    expect(isDecided(1, 0.999, 0.5)).toBe(false);
    expect(isDecided(1, 0.97, 0.5)).toBe(true);
    expect(isDecided(0.9501, 0.5)).toBe(false);
    // The cap is the same number for all of them.
    expect(isDecided(0.3, 0.3, 0.3, 0.3)).toBe(true);
    expect(isDecided(0.3, 0.3, 0.3, 0.2)).toBe(true);
    expect(isDecided(0.4, 0.3, 0.3, 0.3)).toBe(true);
    // Beside others that are near, equal numbers may be unequal elsewhere.
    expect(isDecided(0.3, 0.3, 0.3, 0.2999)).toBe(false);
    expect(isDecided(0.3001, 0.3, 0.3)).toBe(false);
    expect(isDecided(1e-7, 2e-7, 1.1e-7)).toBe(true);
    expect(isDecided()).toBe(true);
    const [set, alike] = [Float32Array.of(0.4, 1), Float32Array.of(1, 1)];
    expect(membersAreDecided(set, alike, { ...two, predictedMembers: 0 }, 1e-3)).toBe(true);
    // What is expected of members decides, and is the same everywhere.
    const half = Float32Array.of(0.5, 1, 1, 0.5);
    expect(membersAreDecided(Float32Array.of(0.8, 0.4001, 0.5, 0.1), half, two, 1e-3)).toBe(false);
    expect(membersAreDecided(Float32Array.of(0.4001, 0.4, 0.5, 0.1), half, two, 1e-3)).toBe(true);
  });
});
