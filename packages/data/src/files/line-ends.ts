import { FuzzError } from '@fuzzqe/core';

/**
 * Returns the error for a carriage return that no line feed follows, at that place (`path:line`).
 *
 * Lines that end so would be one line, and names would hold what was never part of them.
 */
export function loneReturn(place: string): FuzzError {
  return new FuzzError('data', 'line ends: expected LF or CRLF, got CR', {
    path: place,
    hint: "Convert the file: tr '\\r' '\\n' < FILE > NEW. A name between quotes in CSV may hold one.",
  });
}
