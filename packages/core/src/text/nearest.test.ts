import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { finish } from '../steps.ts';
import { createNearestNames, didYouMean, nearestNames } from './nearest.ts';

describe('nearestNames', () => {
  const countries = ['France', 'Finland', 'Germany', 'French Guiana', 'Greece'];

  it('finds a name with a letter wrong, missing, added or swapped', () => {
    for (const typo of ['Framce', 'Frace', 'Frrance', 'Farnce']) {
      expect(nearestNames(typo, countries)[0]).toBe('France');
    }
  });

  it('counts two swapped neighbours as one edit', () => {
    expect(nearestNames('ab', ['ba', 'cd'])).toEqual(['ba']);
    expect(nearestNames('ab', ['cd'])).toEqual([]);
  });

  it('takes no notice of case', () => {
    expect(nearestNames('GERMANY', countries)).toEqual(['Germany']);
  });

  it('offers names that begin with or contain what was typed, however long they are', () => {
    expect(nearestNames('French', ['a long French name', 'French Guiana', 'Greece'])).toEqual([
      'French Guiana',
      'a long French name',
    ]);
  });

  it('offers nothing that is not near', () => {
    expect(nearestNames('Xylophone', countries)).toEqual([]);
    expect(nearestNames('', countries)).toEqual([]);
  });

  it('keeps to the limit and to the order of the candidates among equals', () => {
    expect(nearestNames('cat', ['car', 'can', 'cap', 'cab'], 2)).toEqual(['car', 'can']);
    expect(nearestNames('cat', ['car'], 0)).toEqual([]);
  });

  it('lets a nearer name in after the list is full', () => {
    expect(nearestNames('cat', ['cab', 'can', 'cats', 'cat'], 2)).toEqual(['cat', 'cats']);
  });

  it('says where among the candidates a name stands', () => {
    expect(finish(createNearestNames(countries).nearest('Frnace'))).toMatchObject([
      { name: 'France', index: 0 },
    ]);
  });

  it('takes just those names that a full table of edits puts within a third of the letters', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 9 });
    fc.assert(
      fc.property(word, word, (typed, candidate) => {
        fc.pre(!candidate.includes(typed));
        const near = editTable(typed, candidate) <= Math.ceil(typed.length / 3);
        expect(nearestNames(typed, ['long enough to widen the rows '.repeat(4), candidate])).toEqual(
          near ? [candidate] : [],
        );
      }),
      { numRuns: 2000 },
    );
  });

  it('judges a candidate the same alone and among others that begin like it', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 12 });
    fc.assert(
      fc.property(word, fc.array(word, { maxLength: 30 }), (typed, candidates) => {
        const together = finish(createNearestNames(candidates).nearest(typed, candidates.length));
        const alone = candidates.flatMap((name, index) =>
          nearestNames(typed, [name]).map(() => ({ name, index })),
        );
        expect([...together].sort((a, b) => a.index - b.index)).toEqual(alone);
        for (const limit of [1, 3])
          expect(finish(createNearestNames(candidates).nearest(typed, limit))).toEqual(
            together.slice(0, limit),
          );
      }),
      { numRuns: 500 },
    );
  });

  it('takes underscores for spaces', () => {
    expect(nearestNames('new york', ['york', 'concept_city_new_york', 'New_York'])).toEqual([
      'New_York',
      'concept_city_new_york',
    ]);
  });

  it('is no slower for a text that is far longer than any name', () => {
    expect(nearestNames('x'.repeat(1_000_000), countries)).toEqual([]);
  });

  it('always puts the name itself first', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ minLength: 1 })), fc.string({ minLength: 1 }), (others, name) => {
        fc.pre(name.trim() !== '' && name === name.trim());
        fc.pre(!others.some((other) => other.toLowerCase() === name.toLowerCase()));
        expect(nearestNames(name, [...others, name])[0]).toBe(name);
      }),
    );
  });

  it('copes with as many candidates as a large vocabulary has', () => {
    const many = Array.from({ length: 60_000 }, (_, i) => `concept_city_number_${i * 7919}`);
    expect(nearestNames('concept_citty_number_7919', many)[0]).toBe('concept_city_number_7919');
  });
});

describe('didYouMean', () => {
  it('joins the names into a question', () => {
    expect(didYouMean('cat', ['car'], '-')).toBe('did you mean "car"?');
    expect(didYouMean('cat', ['car', 'can', 'cap'], '-')).toBe('did you mean "car", "can" or "cap"?');
  });

  it('says the other thing when nothing is near', () => {
    expect(didYouMean('cat', ['elephant'], 'No such animal.')).toBe('No such animal.');
  });
});

/** The optimal string alignment distance, from its recurrence. */
function editTable(a: string, b: string): number {
  const table = Array.from({ length: a.length + 1 }, (_, i) =>
    Array.from({ length: b.length + 1 }, (_, j) => (i === 0 ? j : j === 0 ? i : 0)),
  );
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      const replaced = table[i - 1]![j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      table[i]![j] = Math.min(table[i - 1]![j]! + 1, table[i]![j - 1]! + 1, replaced);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        table[i]![j] = Math.min(table[i]![j]!, table[i - 2]![j - 2]! + 1);
      }
    }
  }
  return table[a.length]![b.length]!;
}
