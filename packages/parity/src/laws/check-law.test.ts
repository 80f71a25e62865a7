import { describe, expect, it } from 'vitest';
import { violationOf } from './check-law.ts';
import { writtenSides } from './law.ts';
import { laws, paperLaws } from './laws.ts';

const named = (wanted: string) => laws.find(({ name }) => name === wanted)!;
const tolerance = { absolute: 0.01, relative: 0 };

describe('violationOf', () => {
  it('says where an equation fails by most, and takes no number for a failure', () => {
    const law = named('involution');
    const left = [0.5, 0.6, 0.9];
    expect(
      violationOf(law, { premises: [], claims: [{ left, right: [0.5, 0.605, 0.9] }] }, tolerance),
    ).toBeUndefined();
    expect(violationOf(law, { premises: [], claims: [{ left, right: [0.5, 0.7, 0.5] }] }, tolerance)).toEqual(
      {
        claim: 0,
        at: 2,
        left: 0.9,
        right: 0.5,
        gap: 0.4,
      },
    );
    const nothing = violationOf(
      law,
      { premises: [], claims: [{ left, right: [0.5, Number.NaN, 0.9] }] },
      tolerance,
    );
    expect(nothing).toMatchObject({ at: 1 });
  });

  it('lets an order fail in one direction only, and in every claim', () => {
    const law = named('conjunction elimination');
    const less = { left: [0.2], right: [0.4] };
    const more = { left: [0.4], right: [0.2] };
    expect(violationOf(law, { premises: [], claims: [less, less] }, tolerance)).toBeUndefined();
    expect(violationOf(law, { premises: [], claims: [less, more] }, tolerance)).toMatchObject({ claim: 1 });
  });

  it('asks nothing of elements for which a premise is not true', () => {
    const law = named('non-contradiction');
    const claims = [{ left: [0.9, 0.9], right: [0.1, 0.1] }];
    const premises = [{ left: [0.4, 0.6], right: [0.5, 0.5] }];
    expect(violationOf(law, { premises, claims }, tolerance)).toMatchObject({ at: 0 });
    expect(
      violationOf(law, { premises: [{ left: [0.6, 0.6], right: [0.5, 0.5] }], claims }, tolerance),
    ).toBeUndefined();
  });
});

describe('writtenSides', () => {
  it('has the sides of each claim of the paper’s laws, and none beyond the claims', () => {
    const sides = paperLaws.map((law) => law.claims.map((_, i) => writtenSides(law, i).join(' | ')));
    expect(sides[0]).toEqual(['a ∧ b | a', 'a ∧ b | b']);
    expect(sides[2]).toEqual(['(a ∧ b) ∧ c | a ∧ (b ∧ c)']);
    expect(sides[7]).toEqual(['¬b | ¬a']);
    expect(sides.flat().every((text) => /^.+ \| .+$/.test(text))).toBe(true);
    for (const law of paperLaws) expect(writtenSides(law, law.claims.length)).toEqual(['', '']);
  });
});
