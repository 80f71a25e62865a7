import { expect, it } from 'vitest';
import { FuzzError, receivedError, sentError } from './index.ts';

it('an error of stopped work has the name of the platform, in other threads too, and another error does not', () => {
  const { reason } = AbortSignal.abort();
  const aborted = new FuzzError('interrupted', 'stopped', { cause: reason });
  for (const error of [aborted, receivedError(structuredClone(sentError(aborted)))])
    expect(error).toMatchObject({ name: reason.name, code: 'interrupted' });
  expect(receivedError(sentError(new FuzzError('deadline', 'late')))).toMatchObject({ name: 'FuzzError' });
});

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
