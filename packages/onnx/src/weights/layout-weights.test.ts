import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { layoutWeights, type WeightTensor, weightAlignment } from '../index.ts';

const floats = (name: string, ...shape: number[]): WeightTensor => ({
  name,
  dtype: 'float',
  shape,
  bytes: { byteLength: 4 * shape.reduce((product, dimension) => product * dimension, 1) },
});

describe('layoutWeights', () => {
  it('places tensors in the order of their names, large ones at a page', () => {
    const layout = layoutWeights([floats('d', 1), floats('b', 128, 128), floats('c', 3), floats('a', 5)]);
    expect([...layout.places]).toEqual([
      ['a', { offset: 0, length: 20 }],
      ['b', { offset: 4096, length: 65_536 }],
      ['c', { offset: 69_632, length: 12 }],
      ['d', { offset: 69_696, length: 4 }],
    ]);
    expect(layout.size).toBe(69_700);
  });

  it('depends on nothing but the tensors, never overlaps and always aligns', () => {
    const tensors = fc
      .uniqueArray(fc.record({ name: fc.string(), rows: fc.nat(40_000) }), { selector: ({ name }) => name })
      .map((all) => all.map(({ name, rows }) => floats(name, rows)));
    fc.assert(
      fc.property(tensors, (all) => {
        const layout = layoutWeights(all);
        expect([...layoutWeights(all.toReversed()).places]).toEqual([...layout.places]);
        let end = 0;
        for (const { offset, length } of layout.places.values()) {
          expect(offset).toBeGreaterThanOrEqual(end);
          const { largeFrom, large, small } = weightAlignment;
          expect(offset % (length >= largeFrom ? large : small)).toBe(0);
          end = offset + length;
        }
        expect(layout.size).toBe(end);
      }),
    );
  });

  it('refuses bytes that do not fit, and names that occur twice', () => {
    expect(() => layoutWeights([{ ...floats('a', 3), bytes: new Uint8Array(8) }])).toThrow(
      'weights "a": float[3] takes 12 bytes, got 8',
    );
    expect(() => layoutWeights([floats('a', 3), floats('a', 4)])).toThrow('weights "a" occur twice');
  });
});
