import { FuzzError } from '@fuzzqe/core';
import { InvalidArgumentError } from 'commander';

/** Reads an option as a whole number of at least `min`. */
export function wholeNumber(min: number, max: number = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < min || value > max)
      throw new InvalidArgumentError(
        `expected a whole number in [${min}, ${max}], got ${JSON.stringify(text)}`,
      );
    return value;
  };
}

/** Reads a comma-separated list of names out of a closed set. Throws: 'usage'. */
export function namesOutOf<T extends string>(text: string, known: readonly T[], what: string): T[] {
  return text.split(',').map((name) => {
    const found = known.find((each) => each === name.trim());
    if (found === undefined)
      throw new FuzzError('usage', `unknown ${what} ${JSON.stringify(name.trim())}`, {
        hint: `choose from: ${known.join(', ')}`,
      });
    return found;
  });
}
