import { describeValue, FuzzError } from '@fuzzqe/core';

/**
 * Expects of an option one of its words: any other would be taken for one of them, and nobody would hear of it.
 *
 * @throws FuzzError `usage`: none of them.
 */
export function expectWord<T extends string>(option: string, words: readonly T[], given: T): void {
  if (words.includes(given)) return;
  const expected = `expected one of ${words.join(', ')}`;
  throw new FuzzError('usage', `${option}: ${expected}, got ${describeValue(given)}`, {
    hint: 'Leave it out for the default.',
  });
}
