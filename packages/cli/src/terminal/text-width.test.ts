import { expect, it } from 'vitest';
import { padEnd, padStart, shorten, textWidth } from './text-width.ts';

it('counts columns and not characters', () => {
  expect(['abc', '日本', 'é', '👩‍👩‍👧', ''].map(textWidth)).toEqual([3, 4, 1, 2, 0]);
  expect(padEnd('日本', 6)).toBe('日本  ');
  expect(padStart('日本', 6)).toBe('  日本');
});

it('cuts between characters, on one line', () => {
  expect(shorten('short', 5)).toBe('short');
  expect(shorten('日本国', 5)).toBe('日本…');
  expect(shorten('日本国', 4)).toBe('日…');
  expect(shorten('two\nlines', 20)).toBe('two lines');
  expect(shorten('👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧', 4)).toBe('👩‍👩‍👧…');
});
