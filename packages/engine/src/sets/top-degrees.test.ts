import { EntitySet } from '@fuzzqe/core';
import { describe, expect, it } from 'vitest';
import { topDegrees } from './top-degrees.ts';

const degrees = Float32Array.of(0.5, 0, 1, 0.7, 0.5, 1);
const found = (wanted: Parameters<typeof topDegrees>[1], of = degrees): [number, number][] => {
  const { ids, degrees } = topDegrees(of, wanted);
  return Array.from(ids, (id, i) => [id, degrees[i]!]);
};

describe('the best of a fuzzy set', () => {
  it('come first, of equal degrees the lower id, and nothing of degree 0', () => {
    const all = [
      [2, 1],
      [5, 1],
      [3, Math.fround(0.7)],
      [0, 0.5],
      [4, 0.5],
    ];
    for (const k of [1, 3, 5, 6]) expect(found({ k })).toEqual(all.slice(0, k));
    expect(found({ k: 6, minDegree: 0 })).toEqual(all);
    expect(found({ k: 2 }, new Float32Array(6))).toEqual([]);
  });

  it('have at least the least degree, as near to it as single precision is', () => {
    expect(found({ k: 6, minDegree: 0.7 }).map(([id]) => id)).toEqual([2, 5, 3]);
    expect(found({ k: 6, minDegree: 0.7001 }).map(([id]) => id)).toEqual([2, 5]);
    expect(found({ k: 6, minDegree: 1 }).map(([id]) => id)).toEqual([2, 5]);
  });

  it('are never among those that are left out, and the set stays as it was', () => {
    const set = degrees.slice();
    const excluded = EntitySet.from(6, [2, 3]);
    expect(found({ k: 3, excluded }, set).map(([id]) => id)).toEqual([5, 0, 4]);
    expect(set).toEqual(degrees);
  });

  it('put what the facts give before what is likelier, but below the degree of an answer', () => {
    const recorded = EntitySet.from(6, [1, 2, 4]);
    const answers = (from: number) => ({ from, recorded });
    const ids = (wanted: Parameters<typeof topDegrees>[1]) => found(wanted).map(([id]) => id);
    expect(ids({ k: 6, answers: answers(0.8) })).toEqual([2, 5, 4, 3, 0]);
    expect(ids({ k: 3, answers: answers(0.8) })).toEqual([2, 5, 4]);
    expect(ids({ k: 6, answers: answers(0.8), minDegree: 0.8 })).toEqual([2, 5, 4]);
    expect(ids({ k: 6, answers: answers(0.8), excluded: recorded })).toEqual([5, 3, 0]);
    expect(ids({ k: 6, answers: answers(0.5) })).toEqual([2, 5, 3, 0, 4]);
  });

  it('are refused where a degree is no number, as the fault of the runtime', () => {
    expect(() => topDegrees(Float32Array.of(0, Number.NaN), { k: 1 })).toThrow(
      expect.objectContaining({ code: 'runtime' }),
    );
  });
});
