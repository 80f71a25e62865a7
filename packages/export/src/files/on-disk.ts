import { FuzzError } from '@fuzzqe/core';

/** Says what the disk refused. Throws: `data` instead of an error of the system. */
export async function onDisk<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException | undefined)?.code;
    if (cause instanceof FuzzError || !(cause instanceof Error) || code === undefined) throw cause;
    throw new FuzzError('data', `cannot write the bundle: ${cause.message}`, {
      path,
      hint:
        code === 'ENOSPC'
          ? 'The disk is full; what was there before is untouched.'
          : 'Check the folder and its permissions; what was there before is untouched.',
      cause,
    });
  }
}
