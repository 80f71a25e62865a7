import { schema } from '@fuzzqe/core';
import { describe, expect, it } from 'vitest';
import { isValidity, momentsOf, validityFields, withValidity } from './validity.ts';

const read = withValidity(schema.object(validityFields));

describe('when a fact holds', () => {
  it.each([
    [{}, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY],
    [{ from: '1970' }, 0, Number.POSITIVE_INFINITY],
    [{ until: '1970-01-02' }, Number.NEGATIVE_INFINITY, 86_400],
    [{ from: '1970-01-01T00:00:01Z', until: '1970-01-01T01:00:01+01:00' }, 1, 1],
  ])('%j is from %d until %d', (given, begin, end) => {
    expect(schema.issuesOf(read, given)).toEqual([]);
    expect(momentsOf(given)).toEqual([begin, end]);
    const { from, until }: { from?: string; until?: string } = given;
    expect(isValidity(from, until)).toBe(true);
  });

  it.each([
    [{ from: 'soon' }, '$.from'],
    [{ until: '2001-13' }, '$.until'],
    [{ from: 2001 }, '$.from'],
    [{ from: null }, '$.from'],
    [{ from: '2001', until: '2000-12-31' }, '$.until'],
  ])('%j is refused at %s', (given, path) => {
    expect(schema.issuesOf(read, given)).toEqual([{ path, message: expect.stringContaining('expected') }]);
    const { from, until }: { from?: unknown; until?: unknown } = given;
    expect(isValidity(from, until)).toBe(false);
  });
});
