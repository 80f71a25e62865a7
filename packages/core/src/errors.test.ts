import { expect, it } from 'vitest';
import { FuzzError } from './index.ts';

it('an error is short, however long what it names is, and never ends in half a character', () => {
  const long = '😀'.repeat(5_000_000);
  const error = new FuzzError('data', `a${long}`, { path: long, hint: long });
  for (const text of [error.message, error.path!, error.hint!]) {
    expect(text.length).toBeLessThan(2100);
    expect(text).toMatch(/… \(\d+ more characters\)$/);
    expect(encodeURIComponent(text) !== '').toBe(true);
  }
  const exact = 'x'.repeat(2000);
  expect(new FuzzError('data', exact).message).toBe(exact);
});
