import type { FuzzErrorCode } from '@fuzzqe/core';

/** What the process ends with for each kind of error; 0 is success and 1 a defect of this program. */
export const exitCodes: Readonly<Record<FuzzErrorCode, number>> = {
  usage: 2,
  config: 2,
  query: 3,
  cost: 3,
  vocabulary: 3,
  range: 3,
  data: 4,
  checkpoint: 5,
  bundle: 6,
  parity: 7,
  runtime: 8,
  overloaded: 8,
  deadline: 8,
  storage: 9,
  shape: 1,
  interrupted: 130,
};

/** What the process ends with where `fuzzqe query --is` does not say yes. */
export const verdictCodes = { no: 10, 'not known': 11 } as const;

/** What each exit code means. */
const meanings: Readonly<Record<number, string>> = {
  0: 'done',
  1: 'a defect of this program',
  2: 'wrong command or option',
  3: 'wrong query or unknown name',
  4: 'wrong input file',
  5: 'damaged or foreign checkpoint',
  6: 'damaged or foreign bundle',
  7: 'answers differ between runtimes',
  8: 'runtime, device or port not available',
  9: 'disk full, or a folder that cannot be written',
  10: 'query --is: no',
  11: 'query --is: not known',
  130: 'stopped with Ctrl-C; finished work is kept',
  143: 'stopped by SIGTERM; finished work is kept',
};

/** Lines of a help text for these exit codes, in ascending order. */
export function exitCodeLines(codes: readonly number[] = Object.keys(meanings).map(Number)): string {
  return [...codes]
    .sort((a, b) => a - b)
    .map((code) => `${String(code).padStart(5)}  ${meanings[code]}`)
    .join('\n');
}
