import { FuzzError } from '@fuzzqe/core';

const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };
const meanings: Readonly<Record<string, string>> = { '\\': '\\', t: '\t', n: '\n', r: '\r' };

/** Writes a field: tabs, line ends and backslashes with a backslash and a letter. */
export function escapeField(field: string): string {
  return field.replace(/[\\\t\n\r]/g, (character) => escapes[character]!);
}

/** Reads what `escapeField` wrote; throws FuzzError `data` with `path`: an unknown escape. */
export function readField(field: string, path: string): string {
  if (!field.includes('\\')) return field;
  return field.replace(/\\(.?)/gs, (sequence, letter: string) => {
    const meaning = meanings[letter];
    if (meaning === undefined) {
      throw new FuzzError('data', `escape: expected \\t, \\n, \\r or \\\\, got ${JSON.stringify(sequence)}`, {
        path,
        hint: 'Write a backslash as \\\\.',
      });
    }
    return meaning;
  });
}
