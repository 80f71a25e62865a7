import { FuzzError } from '@fuzzqe/core';

/** Until when an answer is wanted, and by whom. */
export interface CallLimits {
  /** Anything that is the same for all calls of one caller, who share turns where calls wait. Default: each call has its own. */
  readonly caller?: unknown;
  /** Whether whoever calls asks again where too much waits: such a refusal is told to nobody, and not counted. Default: not. */
  readonly asksAgain?: boolean;
  /** Gives the call up: what of it still waits is not computed. */
  readonly signal?: AbortSignal | undefined;
  /** By `performance.now()`, in milliseconds; later nobody wants the answer. */
  readonly deadline?: number | undefined;
}

/** Throws: 'interrupted' once the signal is raised, 'deadline' once it has passed. */
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
