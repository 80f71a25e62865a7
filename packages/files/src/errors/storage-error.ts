import { FuzzError } from '@fuzzqe/core';

/** Why a system refuses to write, and what to do about it, by the code of its error. */
const reasons: ReadonlyMap<string, readonly [reason: string, hint: string]> = new Map([
  ['ENOSPC', ['the disk is full', 'Make room and try again']],
  ['EDQUOT', ['the quota of the disk is used up', 'Make room and try again']],
  ['EFBIG', ['the file is larger than the system allows', 'Choose another disk, or raise the limit']],
  ['EROFS', ['the disk is read-only', 'Choose another folder']],
  ['EACCES', ['writing is forbidden', 'Check who may write there, or choose another folder']],
  ['EPERM', ['writing is forbidden', 'Check who may write there, or choose another folder']],
  ['EISDIR', ['a folder is in the way', 'Choose another name, or remove it']],
  ['ENOTDIR', ['a file is in the way of a folder', 'Choose another folder']],
  ['ENOTEMPTY', ['a folder with files is in the way', 'Choose another name, or remove it']],
  ['EEXIST', ['something with this name is in the way', 'Choose another name, or remove it']],
  ['ENOENT', ['the folder is not there', 'Check the path']],
  ['ELOOP', ['links lead in a circle', 'Check the path']],
  ['ENAMETOOLONG', ['the name is too long', 'Choose a shorter one']],
  ['EIO', ['the disk reports an error', 'Check the disk']],
  ['EMFILE', ['too many files are open', 'Raise the limit of open files (ulimit -n)']],
]);

/**
 * The code of an error of the system; undefined for any other value.
 *
 * @example
 * const code = systemErrorCode(Object.assign(new Error('none'), { code: 'ENOENT' })); // 'ENOENT'
 */
export function systemErrorCode(cause: unknown): string | undefined {
  return cause instanceof Error && 'code' in cause && 'syscall' in cause && typeof cause.code === 'string'
    ? cause.code
    : undefined;
}

/**
 * The error for something that could not be written: `what: the disk is full (ENOSPC)`, with code `storage`.
 *
 * `kept` says what is not lost by it. Throws the cause itself where the system has not refused anything: what is wrong with the
 * content, or with the program, is no matter of the disk.
 *
 * @example
 * await writeFileWhole('notes.txt', text).catch((cause) => {
 *   throw storageError('the notes', 'notes.txt', cause);
 * });
 */
export function storageError(what: string, path: string, cause: unknown, kept?: string): FuzzError {
  const code = systemErrorCode(cause);
  if (code === undefined) throw cause;
  const [reason, hint] = reasons.get(code) ?? ['the system refuses', 'Check the folder and its permissions'];
  return new FuzzError('storage', `${what}: ${reason} (${code})`, {
    path,
    hint: `${hint}${kept === undefined ? '' : `; ${kept}`}.`,
    cause,
  });
}
