import { FuzzError } from '@fuzzqe/core';

/** Lines of a file that cannot be read. */
export interface BadLines {
  /** How many there were so far. */
  readonly count: number;
  /** The first ten, in sentences. */
  readonly told: readonly string[];
  add(error: FuzzError): void;
  /** Throws what was wrong: the first line, and with it the next nine and the number of all. */
  refuse(): void;
}

/** So many are told. */
const most = 10;

/** No bad lines yet. */
export function createBadLines(): BadLines {
  const errors: FuzzError[] = [];
  let count = 0;
  const told = (): string[] => errors.map(({ path, message }) => `${path}: ${message}`);
  return {
    get count() {
      return count;
    },
    get told() {
      return told();
    },
    add(error) {
      count++;
      if (errors.length < most) errors.push(error);
    },
    refuse() {
      const [first] = errors;
      if (first === undefined) return;
      const more =
        count === 1
          ? []
          : [
              count > most ? `The first ${most} of ${count} bad lines:` : `All ${count} bad lines:`,
              ...told().map((line) => `  ${line}`),
            ];
      const hint = [...(first.hint === undefined ? [] : [first.hint]), ...more, skipHint].join('\n');
      const number = count === 1 ? '' : ` (the first of ${count} bad lines)`;
      throw new FuzzError(first.code, `${first.message}${number}`, {
        ...(first.path === undefined ? {} : { path: first.path }),
        hint,
        cause: first,
      });
    },
  };
}

const skipHint = 'To read the file without bad lines: --skip-bad.';
