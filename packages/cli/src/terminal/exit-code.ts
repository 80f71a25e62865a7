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

/** The exit codes as the help shows them. */
export const exitCodeHelp = `Exit codes:
  0  done                               6  damaged or foreign bundle
  1  a defect of this program           7  answers differ between runtimes
  2  wrong command or option            8  runtime, device or port not available
  3  wrong query or unknown name        9  disk full, or nothing can be written
  4  wrong input file                  10  query --is: no
  5  damaged or foreign checkpoint     11  query --is: not known
                                      130  stopped with Ctrl-C; the rest is kept
                                      143  ended by SIGTERM; nothing was to keep`;
