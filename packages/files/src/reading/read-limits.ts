import { FuzzError } from '@fuzzqe/core';

/** How much of a file readers take at most; what says more is refused before it fills the memory. */
export interface ReadLimits {
  /** Bytes of a line, of a record that runs over several, or of a text in RDF. */
  readonly line: number;
  /** Bytes of a file that is read as a whole: pickles, configurations, records. */
  readonly file: number;
  /** How many times larger than itself a compressed file may become; the first 64 MiB are always admitted. */
  readonly expansion: number;
}

/** The variable of the environment that changes a limit, in which unit, and what it is without. */
const variables: {
  readonly [K in keyof ReadLimits]: {
    readonly name: string;
    readonly unit: number;
    readonly most: number;
    readonly usual: number;
  };
} = {
  // Texts of JavaScript end at 512 MiB, files that Node reads in one piece at 2 GiB.
  line: { name: 'FUZZQE_MAX_LINE_MIB', unit: 2 ** 20, most: 500, usual: 16 },
  file: { name: 'FUZZQE_MAX_FILE_MIB', unit: 2 ** 20, most: 2047, usual: 1024 },
  expansion: { name: 'FUZZQE_MAX_EXPANSION', unit: 1, most: 2000, usual: 100 },
};

/** Bytes that a compressed file may become however small it is. */
export const freeExpansion: number = 64 * 2 ** 20;

/**
 * The limits of readers: 16 MiB a line, 1 GiB a file that is read whole, 100 times a compressed file's size, or what the
 * environment says.
 *
 * @throws FuzzError `usage`: a variable that is no whole number in its range.
 * @example
 * const { line, file, expansion } = readLimits();
 */
export function readLimits(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): ReadLimits {
  const limit = (of: keyof ReadLimits): number => {
    const { name, unit, most, usual } = variables[of];
    const text = environment[name];
    if (text === undefined) return usual * unit;
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= 1 && value <= most) return value * unit;
    throw new FuzzError(
      'usage',
      `${name}: expected a whole number in [1, ${most}], got ${JSON.stringify(text.slice(0, 40))}`,
      { hint: `Leave it out for ${usual}.` },
    );
  };
  return { line: limit('line'), file: limit('file'), expansion: limit('expansion') };
}

/** The sentence that says how a limit is raised. */
export function raiseLimit(of: keyof ReadLimits): string {
  const { name, usual, most } = variables[of];
  return `If the file is as it should be, raise the limit: ${name} in the environment, ${usual} where it is not set, at most ${most}.`;
}
