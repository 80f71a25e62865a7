import { describe, expect, it } from 'vitest';
import { instantOf } from './instant.ts';

describe('moments', () => {
  it.each([
    '1970',
    '2001',
    '2000-03',
    '2024-02-29',
    '1900-03-01',
    '0044-03-15',
    '2001-05-31T10:00Z',
    '2001-05-31T10:00:07+02:00',
    '1969-12-31T23:59:59-05:00',
  ])('of %s are those of the calendar', (text) => {
    expect(instantOf(text)).toBe(Math.floor(Date.parse(text) / 1000));
  });

  it.each([
    '',
    'yesterday',
    '2001-13',
    '2023-02-29',
    '1900-02-29',
    '2001-5-1',
    '31.5.2001',
    '2001-01-01T25:00',
  ])('of %j are none', (text) => {
    expect(instantOf(text)).toBeUndefined();
  });
});
