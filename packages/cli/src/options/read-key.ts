import { readFile, stat } from 'node:fs/promises';
import { publicKeyOf } from '@fuzzqe/bundle';
import { FuzzError } from '@fuzzqe/core';

/**
 * Options of whatever opens a bundle, out of the file that `--require-signature` names.
 *
 * @throws FuzzError `usage`: it is no key.
 */
export async function signatureOptions(
  file: string | undefined,
): Promise<{ readonly requireSignature?: string }> {
  if (file === undefined) return {};
  const requireSignature = await readKey(file);
  try {
    publicKeyOf(requireSignature);
  } catch (cause) {
    throw cause instanceof FuzzError ? atPath(cause, file) : cause;
  }
  return { requireSignature };
}

/**
 * The text of a file with a key.
 *
 * @throws FuzzError `usage`: it is none.
 */
export async function readKey(file: string): Promise<string> {
  const found = await stat(file).catch(() => undefined);
  if (found?.isFile() === true && found.size <= 16_384) return readFile(file, 'utf8');
  throw new FuzzError(
    'usage',
    `expected a file with a key in PEM, got ${found === undefined ? 'nothing' : 'something else'}`,
    {
      path: file,
      hint: 'docs/bundle-format.md says how keys are made.',
    },
  );
}

/** The same error about a file: what read the key knew only its text. */
export function atPath({ code, message, hint, cause }: FuzzError, path: string): FuzzError {
  return new FuzzError(code, message, { path, ...(hint === undefined ? {} : { hint }), cause });
}
