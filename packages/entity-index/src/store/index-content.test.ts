import { FuzzError } from '@fuzzqe/core';
import { describe, expect, it } from 'vitest';
import { checkComplete, checkContent, checkMethod, type IndexContent } from './index-content.ts';

const path = 'mine at postgres://db.example/kg';
const wanted: IndexContent = {
  ...{ bundle: 'a'.repeat(64), name: 'countries', profile: 'fp32' },
  ...{ metric: 'innerProduct', dimension: 16, rows: 40 },
};

function refusal(check: () => void): FuzzError {
  try {
    check();
  } catch (error) {
    if (error instanceof FuzzError) return error;
  }
  throw new Error('expected a FuzzError');
}

describe('an index', () => {
  it.each<[string, Partial<Record<keyof IndexContent, unknown>>, string]>([
    [
      'another bundle',
      { bundle: 'b'.repeat(64), name: 'world' },
      'the bundle countries (aaaaaaaaaaaa), got world (bbbbbbbbbbbb)',
    ],
    ['another dimension', { dimension: 12 }, 'the dimension 16, got 12'],
    ['another metric', { metric: 'euclidean' }, 'the metric innerProduct, got euclidean'],
    ['another number of entities', { rows: 41 }, 'rows: 40, got 41'],
  ])('of %s is refused with both, and how to mend it', (_, changes, said) => {
    // as: a database may hold anything.
    const stored = { ...wanted, ...changes } as IndexContent;
    const error = refusal(() => checkContent(stored, wanted, path));
    expect(error).toMatchObject({
      ...{ code: 'bundle', path },
      message: `the index is of another bundle: expected ${said}`,
      hint: expect.stringContaining('--replace'),
    });
    expect(() => checkContent({ ...wanted, profile: 'int8' }, wanted, path)).not.toThrow();
  });

  it.each([
    [
      'rows are missing',
      { written: 30, complete: false },
      'expected 40 rows, got 30, not finished',
      /goes on where/,
    ],
    ['rows cannot be found yet', { written: 40, complete: false }, 'got 40, not finished', /goes on where/],
    ['two pushes wrote', { written: 41, complete: true }, 'expected 40 rows, got 41', /--replace/],
  ])('where %s is refused, and says what to do', (_, state, said, hint) => {
    const error = refusal(() => checkComplete({ ...wanted, ...state }, path));
    expect(error).toMatchObject({
      ...{ code: 'bundle', path },
      message: expect.stringContaining(said),
      hint: expect.stringMatching(hint),
    });
    expect(() => checkComplete({ ...wanted, written: 40, complete: true }, path)).not.toThrow();
  });

  it('of the other method is refused, and one that leaves it open is not', () => {
    const error = refusal(() => checkMethod({ method: 'exact' }, { method: 'approximate' }, path));
    expect(error.message).toBe('the index was pushed with method=exact, expected method=approximate');
    expect(() => checkMethod({}, { method: 'approximate' }, path)).not.toThrow();
  });
});
