import { FuzzError } from '@fuzzqe/core';
import { hearAbort } from './hear-abort.ts';

/** Until when an answer is wanted, and by whom. */
export interface CallLimits {
  /** Anything that is the same for all calls of one caller, who share turns where calls wait. Default: each call has its own. */
  readonly caller?: unknown;
  /** Whether anyone who calls asks again where too much waits: such a refusal is told to nobody, and not counted. Default: not. */
  readonly asksAgain?: boolean;
  /** Gives the call up: what of it still waits is not computed. */
  readonly signal?: AbortSignal | undefined;
  /** By `performance.now()`, in milliseconds; later nobody wants the answer. */
  readonly deadline?: number | undefined;
}

/** @throws FuzzError `interrupted`: the signal is raised, 'deadline' once it has passed. */
export function throwIfOver({ signal, deadline }: CallLimits): void {
  if (signal?.aborted === true) throw givenUp(signal);
  if (deadline !== undefined && performance.now() >= deadline) throw tooLate();
}

/** The error of a call that was given up. */
export function givenUp(signal: AbortSignal): FuzzError {
  return new FuzzError('interrupted', 'the query was given up', { cause: signal.reason });
}

/** The error of a call whose time is over. */
export function tooLate(): FuzzError {
  return new FuzzError('deadline', 'the query was not answered in time', {
    hint: 'Ask again later, allow more time, or ask a smaller query.',
  });
}

/**
 * Hears when a call that waits is given up or too late, until what this gives is called. A deadline further away than a timer can wait,
 * 24 days, is none.
 *
 * @param end takes the error that `throwIfOver` would throw.
 */
export function whenOver(
  { signal, deadline = Number.POSITIVE_INFINITY }: Pick<CallLimits, 'signal' | 'deadline'>,
  end: (error: FuzzError, reason: 'interrupted' | 'deadline') => void,
): () => void {
  const wait = deadline - performance.now();
  const timer = wait < longestTimer ? setTimeout(() => end(tooLate(), 'deadline'), wait) : undefined;
  holdNothingUp(timer);
  const stopHearing = signal && hearAbort(signal, () => end(givenUp(signal), 'interrupted'));
  return () => {
    clearTimeout(timer);
    stopHearing?.();
  };
}

/** 2³¹ − 1 milliseconds, as a literal: where `whenOver` is left out, so is this. */
const longestTimer = 2_147_483_647;

/** A process that ends does not wait for a timer; in browsers, where it is a number, nothing does. */
function holdNothingUp(timer: unknown): void {
  if (typeof timer === 'object' && timer !== null && 'unref' in timer && typeof timer.unref === 'function')
    timer.unref();
}
