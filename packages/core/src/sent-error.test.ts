import { describe, expect, it } from 'vitest';
import { FuzzError, isPassing, receivedError, sentError } from './index.ts';

/** An error on its way through a port and through JSON, as messages of workers and of other hosts go. */
const received = (error: unknown): Error =>
  receivedError(JSON.parse(JSON.stringify(structuredClone(sentError(error)))));

describe('an error in a message', () => {
  it('comes as it went, but for its cause', () => {
    const details = { path: '$.query', hint: 'Ask later.', retryAfter: 7, toCallers: 'It is away.' };
    for (const passing of [true, false]) {
      const error = received(
        new FuzzError('runtime', 'gone', { ...details, passing, cause: new Error('x') }),
      );
      expect(error).toBeInstanceOf(FuzzError);
      expect(error).toMatchObject({ code: 'runtime', message: 'gone', ...details, passing });
      expect(error.cause).toBeUndefined();
    }
    expect(received(new FuzzError('query', 'none'))).toMatchObject({ path: undefined, passing: false });
  });

  it('that is none of this project keeps its words, and whether it passes', () => {
    const lasting = received(new TypeError('x is undefined'));
    expect([lasting instanceof FuzzError, isPassing(lasting), lasting.message]).toEqual([
      false,
      false,
      'x is undefined',
    ]);
    expect(received(new RangeError('Array buffer allocation failed'))).toMatchObject({
      code: 'runtime',
      message: 'Array buffer allocation failed',
      passing: true,
    });
  });
});

describe('what passes by itself', () => {
  it.each([
    'std::bad_alloc',
    'bad allocation',
    'Array buffer allocation failed',
    'Failed to allocate memory for requested buffer of size 1600',
    'WebAssembly.Memory(): could not allocate memory',
    'Aborted(OOM)',
    'CUDA failure 2: out of memory ; GPU=0',
    'CUBLAS failure 3: CUBLAS_STATUS_ALLOC_FAILED',
    'Available memory of 0 is smaller than requested bytes of 1600',
    'The device was lost',
    'EMFILE: too many open files, open x',
  ])('%s', (message) => expect(isPassing(new Error(message))).toBe(true));

  it.each([
    'No requested allocator available',
    'This is an invalid model. Error in Node:room : No Op registered for Room',
    'Got invalid dimensions for input: k',
    'ENOENT: no such file or directory, open x',
    'x is not a function',
  ])('and what does not: %s', (message) => expect(isPassing(new Error(message))).toBe(false));

  it('is an overload, a deadline and an interruption, and of other errors those that say so', () => {
    const passes = (code: ConstructorParameters<typeof FuzzError>[0], details = {}): boolean =>
      isPassing(new FuzzError(code, 'out of memory', details));
    expect([passes('overloaded'), passes('deadline'), passes('interrupted')]).toEqual([true, true, true]);
    expect([passes('runtime'), passes('bundle')]).toEqual([false, false]);
    expect([passes('runtime', { passing: true }), passes('deadline', { passing: false })]).toEqual([
      true,
      false,
    ]);
  });
});
