import { InvalidArgumentError } from 'commander';

/** Reads an option as a whole number of at least `min`. */
export function parseWholeNumber(
  min: number,
  max: number = Number.MAX_SAFE_INTEGER,
): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < min || value > max)
      throw new InvalidArgumentError(
        `expected a whole number in [${min}, ${max}], got ${JSON.stringify(text)}`,
      );
    return value;
  };
}

/** Reads a date by its form, and gives it as it is; whether there is such a day, the action finds. */
export function parseDate(text: string): string {
  if (/^\d{4}(-\d{2}){0,2}(T[\d:.]+(Z|[+-][\d:]+)?)?$/.test(text)) return text;
  throw new InvalidArgumentError(
    `expected a date as 2001, 2001-05, 2001-05-31 or 2001-05-31T10:00Z, got ${JSON.stringify(text)}`,
  );
}

/** Reads an option as minutes: a number above 0. */
export function parseMinutes(text: string): number {
  const minutes = Number(text);
  if (/^[\d.]+$/.test(text) && minutes > 0) return minutes;
  throw new InvalidArgumentError(`expected minutes above 0, got ${JSON.stringify(text)}`);
}

/** Reads an option as one name out of a closed set. */
export function parseChoice<T extends string>(known: readonly T[], what: string): (text: string) => T {
  return (text) => {
    const found = known.find((each) => each === text.trim());
    if (found === undefined)
      throw new InvalidArgumentError(
        `unknown ${what} ${JSON.stringify(text.trim())}: choose from: ${known.join(', ')}`,
      );
    return found;
  };
}

/** Reads an option as a comma-separated list of names out of a closed set, each once. */
export function parseChoices<T extends string>(known: readonly T[], what: string): (text: string) => T[] {
  const one = parseChoice(known, what);
  return (text) => [...new Set(text.split(',').map(one))];
}

/** Reads `1,2,3`: whole numbers, each once. */
export function parseSeeds(text: string): number[] {
  const seeds = text.split(',').map((part) => (/^\d+$/.test(part.trim()) ? Number(part) : Number.NaN));
  if (!seeds.every(Number.isSafeInteger) || new Set(seeds).size < seeds.length)
    throw new InvalidArgumentError(
      `expected different whole numbers, as in 1,2,3, got ${JSON.stringify(text)}`,
    );
  return seeds;
}

/** Reads a SHA-256 in hexadecimal digits. */
export function parseSha256(text: string): string {
  if (/^[0-9a-f]{64}$/i.test(text)) return text.toLowerCase();
  throw new InvalidArgumentError(`expected 64 hexadecimal digits, got ${JSON.stringify(text)}`);
}

/** Reads the share of facts that is held out for validation, and again for the test. */
export function parseHoldOutShare(text: string): number {
  const share = Number(text);
  if (/^[\d.]+$/.test(text) && share >= 0 && share < 0.5) return share;
  throw new InvalidArgumentError(`expected a share in [0, 0.5), got ${JSON.stringify(text)}`);
}

/** Reads a share, as in `2%` or 0.02. */
export function parseShare(text: string): number {
  const share = Number(text.replace(/%$/, '')) / (text.endsWith('%') ? 100 : 1);
  if (/^[\d.]+%?$/.test(text) && share <= 1) return share;
  throw new InvalidArgumentError(`expected a share, as in 2% or 0.02, got ${JSON.stringify(text)}`);
}

/** Reads a degree. */
export function parseDegree(text: string): number {
  const degree = Number(text);
  if (/^[\d.]+$/.test(text) && degree <= 1) return degree;
  throw new InvalidArgumentError(`expected a number in [0, 1], got ${JSON.stringify(text)}`);
}

/** Reads a number of seconds above 0, with or without `s` after it. */
export function parseSeconds(text: string): number {
  const value = Number(text.replace(/s$/, ''));
  if (value > 0 && Number.isFinite(value)) return value;
  throw new InvalidArgumentError(
    `expected a number of seconds, as in 60 or 60s, got ${JSON.stringify(text)}`,
  );
}
