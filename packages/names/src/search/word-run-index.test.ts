import { finish } from '@fuzzqe/core';
import { createDictionary } from '@fuzzqe/core/text';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createWordRunIndex, longestWanted } from './word-run-index.ts';

const found = (names: readonly string[], wanted: string, tolerance: number): (readonly number[])[] => {
  const matches: (readonly number[])[] = [];
  const index = finish(createWordRunIndex(names, finish(createDictionary(names))));
  const search = index.within(wanted, tolerance, (...match) => {
    matches.push(match);
  });
  finish(search);
  return matches.sort(([a], [b]) => a! - b!);
};

describe('createWordRunIndex', () => {
  it('finds a word among others, and words in a row, with a letter wrong, missing, added or swapped', () => {
    const names = ['united nations', 'the united states (of america)', 'unit', 'reunited nation'];
    for (const typed of ['uniteb', 'unted', 'unitedd', 'untied'])
      expect(found(names, typed, 1), typed).toEqual([
        [0, 1],
        [1, 1],
      ]);
    expect(found(names, 'unitedstaets', 2)).toEqual([[1, 2]]);
    expect(found(names, 'united', 0)).toEqual([
      [0, 0],
      [1, 0],
    ]);
  });

  it('takes as many edits as a full table does for the best of all runs of words', () => {
    const name = fc.string({ unit: fc.constantFrom('a', 'b', '1', '2', ' ', '-'), maxLength: 14 });
    const typed = fc.string({ unit: fc.constantFrom('a', 'b', '1', '2', ' '), minLength: 4, maxLength: 8 });
    fc.assert(
      fc.property(
        fc.array(name, { maxLength: 12 }),
        typed,
        fc.integer({ min: 0, max: 3 }),
        (names, wanted, most) => {
          const expected = names.flatMap((each, i) => {
            const edits = Math.min(...runsOf(each).map((run) => editTable(wanted, run)));
            return edits <= most ? [[i, edits]] : [];
          });
          expect(found(names, wanted, most)).toEqual(expected);
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('reads texts as long as a number has bits', () => {
    const name = 'x'.repeat(longestWanted);
    expect(found([name, 'x'], name, 3)).toEqual([[0, 0]]);
    expect(found([name], `y${name.slice(1)}`, 1)).toEqual([[0, 1]]);
  });
});

/** What stands between the beginning of a name or the place after a separator, and its end or a separator. */
function runsOf(name: string): string[] {
  const isEnd = (i: number): boolean => i === name.length || /[ -]/.test(name[i]!);
  const ends = Array.from({ length: name.length + 1 }, (_, i) => i).filter(isEnd);
  const starts = [0, ...ends.filter((i) => i < name.length).map((i) => i + 1)];
  return starts.flatMap((start) => ends.filter((end) => end >= start).map((end) => name.slice(start, end)));
}

/** The edit distance with swaps of neighbours, from its recurrence; a digit takes no edit. */
function editTable(a: string, b: string): number {
  const cost = (...letters: string[]): number => (letters.some((letter) => /\d/.test(letter)) ? 100 : 1);
  const table: number[][] = [];
  for (let i = 0; i <= a.length; i++) {
    table.push([]);
    for (let j = 0; j <= b.length; j++) {
      const edits = i === 0 && j === 0 ? [0] : [];
      if (i > 0) edits.push(table[i - 1]![j]! + cost(a[i - 1]!));
      if (j > 0) edits.push(table[i]![j - 1]! + cost(b[j - 1]!));
      if (i > 0 && j > 0)
        edits.push(table[i - 1]![j - 1]! + (a[i - 1] === b[j - 1] ? 0 : cost(a[i - 1]!, b[j - 1]!)));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        edits.push(table[i - 2]![j - 2]! + cost(a[i - 1]!, a[i - 2]!));
      table[i]!.push(Math.min(...edits));
    }
  }
  return table[a.length]![b.length]!;
}
