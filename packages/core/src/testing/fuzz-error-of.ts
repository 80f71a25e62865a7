import { FuzzError } from '../errors.ts';

/** The error that something throws on purpose; passes on any other. */
export function fuzzErrorOf(run: () => unknown): FuzzError {
  try {
    run();
  } catch (error) {
    if (error instanceof FuzzError) return error;
    throw error;
  }
  throw new Error('expected an error');
}
