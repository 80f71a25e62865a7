import { FuzzError } from '@fuzzqe/core';
import { describe, expect, it } from 'vitest';
import { storageError, systemErrorCode } from './storage-error.ts';

const system = (code: string): Error => Object.assign(new Error(`${code}: no`), { code, syscall: 'write' });

describe('an error of writing', () => {
  it('tells a full disk from one that may not be written, with its own code of error', () => {
    const full = storageError('cannot write the file', 'a/b', system('ENOSPC'), 'the rest is kept');
    expect(full).toMatchObject({
      code: 'storage',
      path: 'a/b',
      message: 'cannot write the file: the disk is full (ENOSPC)',
      hint: 'Make room and try again; the rest is kept.',
    });
    expect(storageError('x', 'a', system('EROFS')).message).toBe('x: the disk is read-only (EROFS)');
    expect(storageError('x', 'a', system('EWEIRD')).message).toBe('x: the system refuses (EWEIRD)');
  });

  it('passes on what is no error of the system', () => {
    const defect = new TypeError('x is not iterable');
    for (const cause of [defect, new FuzzError('data', 'a triple that is none'), 'no'])
      expect(thrownBy(() => storageError('x', 'a', cause))).toBe(cause);
  });

  it('is one of the system only where the system says so', () => {
    expect(systemErrorCode(system('EIO'))).toBe('EIO');
    expect(systemErrorCode(Object.assign(new Error('no'), { code: 'ERR_INVALID_ARG_TYPE' }))).toBeUndefined();
    expect(systemErrorCode('ENOSPC')).toBeUndefined();
  });
});

function thrownBy(work: () => unknown): unknown {
  try {
    return work();
  } catch (thrown) {
    return thrown;
  }
}
